// What a browser gives to a page, for Node: a GPU by the package webgpu, on whatever Vulkan driver there is.
const { create, globals } = require('webgpu');

Object.assign(globalThis, globals);
Object.defineProperty(globalThis, 'navigator',
  { value: { gpu: create(['backend=vulkan']) }, configurable: true });
