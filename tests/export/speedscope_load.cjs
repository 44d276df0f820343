// Loads files with the importer of the speedscope package itself and prints what it understood.
//
//     node speedscope_load.cjs MODULES FILE…
//
// The package is a page: it runs in jsdom, where the object that holds its importers is caught as
// the bundle defines it. Drawing is not possible there, and not needed.
'use strict';
const fs = require('fs');
const path = require('path');

const [modules, ...files] = process.argv.slice(2);
const { JSDOM, VirtualConsole } = require(path.join(modules, 'jsdom'));
const release = path.join(modules, 'speedscope/dist/release');
const bundle = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));

const page = new JSDOM('<!DOCTYPE html><body></body>', {
    runScripts: 'outside-only',
    url: 'http://localhost/#localProfilePath=none',
    virtualConsole: new VirtualConsole(),
    pretendToBeVisual: true,
}).window;
page.TextDecoder = TextDecoder;
page.TextEncoder = TextEncoder;
page.Element.prototype.scrollIntoView = () => {};
page.matchMedia = () => ({ matches: false, addListener() {}, removeListener() {} });
page.eval(`{
    const define = Object.defineProperty;
    Object.defineProperty = function (object, name, how) {
        if (name === 'importProfilesFromArrayBuffer') window.importers = object;
        return define(object, name, how);
    };
}`);
page.eval(fs.readFileSync(path.join(release, bundle), 'utf8'));

function sums(profile) {
    const frames = [];
    profile.forEachFrame((frame) => frames.push({
        name: frame.name, file: frame.file, line: frame.line,
        self: frame.getSelfWeight(), total: frame.getTotalWeight(),
    }));
    return { name: profile.getName(), total: profile.getTotalWeight(), frames };
}

async function main() {
    // The importers are set up lazily, when the page first loads something.
    page.speedscope.loadFileFromBase64('first', fs.readFileSync(files[0]).toString('base64'));
    await new Promise((wake) => setTimeout(wake, 500));
    const answer = [];
    for (const file of files) {
        const bytes = fs.readFileSync(file);
        const buffer = page.eval(`new Uint8Array(${bytes.length})`);
        buffer.set(bytes);
        const group = await page.importers.importProfilesFromArrayBuffer(path.basename(file), buffer.buffer);
        answer.push({ name: group.name, index: group.indexToView, profiles: group.profiles.map(sums) });
    }
    process.stdout.write(JSON.stringify(answer));
    process.exit(0);
}

main().catch((wrong) => {
    console.error(wrong);
    process.exit(1);
});
