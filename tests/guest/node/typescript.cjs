// Checks a program of two files that has mistakes, and translates it.
const ts = require('typescript');
const files = {
  '/a.ts':
    'import { b } from "./b";\nconst x: number = b("s");\nexport const y = x.nothing;\n' +
    'class C<T> { constructor(private t: T) {} }\n',
  '/b.ts': 'export function b<T>(t: T): T { return t; }\nexport enum E { One = 1, Two }\n',
};
const options = {
  target: ts.ScriptTarget.ES2020,
  module: ts.ModuleKind.CommonJS,
  strict: true,
  noUnusedLocals: true,
};
const host = ts.createCompilerHost(options);
const { getSourceFile, fileExists, readFile } = host;
host.getSourceFile = (name, ...more) =>
  files[name] ? ts.createSourceFile(name, files[name], ...more) : getSourceFile.call(host, name, ...more);
host.fileExists = (name) => name in files || fileExists.call(host, name);
host.readFile = (name) => files[name] || readFile.call(host, name);
host.writeFile = (name, text) => console.log(`--- ${name}\n${text}`);
const program = ts.createProgram(['/a.ts'], options, host);
const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
for (const d of found)
  console.log(d.file?.fileName, d.start, d.code, ts.flattenDiagnosticMessageText(d.messageText, '\n'));
process.exitCode = found.length > 0 ? 1 : 0;
