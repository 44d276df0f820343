#!/usr/bin/env python3
# suite: test
# limit: 240
"""However Node is started, the adapter is there, the program says the same, and nothing of ours is heard."""
import json
import os

from node_case import VERSIONS, environment, folder, greeted, node, packages, tare, version

# What each of them prints at its end: that the adapter has come.
SAY = "console.log('here', Symbol.for('tare') in globalThis);\n"
RUNNERS = ("tsx", "ts-node", "typescript@5", "@types/node")


def came(run, at_least):
    """As many processes have greeted. Small ones leave no ledger."""
    count = sum(greeted(p) for p in run.processes())
    assert count >= at_least, (count, [p["notes"] for p in run.processes()])


def is_alike(command, here, at_least=0, said=1, **keywords):
    """The outputs are the same but for the word that only the adapter makes true."""
    env = environment(**keywords)
    alone = tare.plain(command, env=env, cwd=here)
    guest = tare.traced(command, env=env, cwd=here)
    assert alone.status == guest.status == 0, (alone.err, guest.err)
    assert alone.out.count(b"here false") == said and guest.out.count(b"here true") == said, guest.out
    # What several threads and processes say at once comes in any order.
    want, got = (sorted(run.out.replace(b"here true", b"here false").splitlines())
                 for run in (alone, guest))
    assert got == want, (guest.out, alone.out)
    assert guest.err == alone.err, (guest.err, alone.err)
    if at_least:
        came(guest, at_least)
    return guest


def each_version(number):
    def case():
        binary = version(number)
        here = folder(a_cjs=SAY, b_mjs="import './c.mjs';\n" + SAY, c_mjs="await 0;\n",
                      d_cjs="globalThis.d = 1;",
                      e_cjs="new (require('worker_threads').Worker)('./a.cjs');\n" + SAY)
        for words, said in ((["a.cjs"], 1), (["b.mjs"], 1), (["e.cjs"], 2),
                            (["--import", "./c.mjs", "a.cjs"], 1), (["-r", "./d.cjs", "b.mjs"], 1),
                            (["--input-type=module", "-e", "await 0;" + SAY], 1)):
            is_alike([binary, *words], here, said=said)
        is_alike([binary, "a.cjs"], here, NODE_OPTIONS="--import=./c.mjs --no-warnings")
    return case


def forked():
    here = folder(child_cjs=SAY + "process.on('message', (m) => { process.send(m + 1); "
                                  "process.disconnect(); });\n",
                  main_cjs="""
    const { fork, spawn, spawnSync, exec } = require('child_process');
    const child = fork('./child.cjs');
    child.send(4);
    child.on('message', (m) => console.log('answer', m));
    child.on('exit', (code) => {
      console.log('fork', code);
      const piped = spawn(process.execPath, ['-'], { stdio: ['pipe', 'inherit', 'inherit'] });
      piped.stdin.end('console.log(6 * 7)');
      piped.on('exit', (status) => {
        console.log('spawn', status);
        console.log(String(spawnSync('sh', ['-c', `'${process.execPath}' -p 1+1 | cat`]).stdout).trim());
        exec('exit 5', (error) => console.log('exec', error.code));
      });
    });
    Buffer.alloc(9e6);""")
    is_alike([node(), "main.cjs"], here, 1)


def clustered():
    here = folder(main_cjs="""
    const cluster = require('cluster');
    const http = require('http');
    if (cluster.isPrimary) {
      const workers = [cluster.fork(), cluster.fork()];
      let asked = 0, listening = 0;
      cluster.on('listening', (_, { port }) => {
        if (++listening < 2) return;
        const ask = () => http.get({ port, agent: false }, (res) => {
          res.setEncoding('utf8').on('data', (text) => console.log(text)).on('end', () => {
            if (++asked < 20) ask(); else for (const w of workers) w.kill('SIGTERM');
          });
        });
        ask();
      });
      let gone = 0;
      cluster.on('exit', (_, code, signal) => { console.log(code, signal); gone++ && console.log('end'); });
    } else {
      http.createServer((req, res) => res.end('served')).listen(0);
      Buffer.alloc(9e6);
    }""" + SAY)
    is_alike([node(), "main.cjs"], here, 2, said=3)


def by_npm():
    """`npm run`, `npm exec` and npx of a package's own program."""
    packages("none")
    here = folder(main_cjs=SAY)
    (here / "bin.cjs").write_text("#!/usr/bin/env node\n" + SAY)
    (here / "bin.cjs").chmod(0o755)
    (here / "package.json").write_text(json.dumps(
        {"name": "mine", "version": "1.0.0", "bin": {"mine": "./bin.cjs"},
         "scripts": {"start": "node main.cjs", "both": "npm run --silent start && node main.cjs"}}))
    (here / "node_modules/.bin").mkdir(parents=True)
    (here / "node_modules/.bin/mine").symlink_to("../../bin.cjs")
    quiet = {"npm_config_update_notifier": "false", "HOME": str(here)}
    is_alike(["npm", "run", "--silent", "start"], here, **quiet)
    is_alike(["npm", "run", "--silent", "both"], here, said=2, **quiet)
    is_alike(["npx", "--offline", "mine"], here, **quiet)


def by_typescript():
    place = packages("typescript-runners", *RUNNERS)
    here = folder(place, main_ts="enum Kind { A = 3 }\nconst kind: Kind = Kind.A;\nconsole.log(kind);\n"
                                  + SAY,
                  tsconfig_json='{"compilerOptions": {"module": "commonjs", "target": "es2020"}}')
    (here / "package.json").write_text('{"private": true}')
    tools = place / "node_modules/.bin"
    cache = {"HOME": str(here), "TMPDIR": str(here)}
    is_alike([tools / "tsx", "main.ts"], here, **cache)
    is_alike([node(), "--import", place / "node_modules/tsx/dist/loader.mjs", "main.ts"], here, **cache)
    is_alike([tools / "ts-node", "-T", "main.ts"], here, **cache)
    if tare.plain([version("24"), "--experimental-strip-types", "-p", "1"]).status == 0:
        (here / "plain.mts").write_text("const kind: number = 3;\nconsole.log(kind);\n" + SAY)
        is_alike([version("24"), "--no-warnings", "plain.mts"], here, **cache)


def options_kept():
    """The user's NODE_OPTIONS work for children too, with quotes and spaces in them."""
    here = folder(first_cjs="globalThis.first = (globalThis.first || 0) + 1;",
                  main_cjs="console.log(first, require('child_process')"
                           ".execFileSync(process.execPath, ['-p', 'first']) + '');\n" + SAY)
    (here / "a b").mkdir()
    os.rename(here / "first.cjs", here / "a b/first.cjs")
    is_alike([node(), "main.cjs"], here,
             NODE_OPTIONS=f'--require "{here}/a b/first.cjs" --stack-trace-limit=7')


def without_options():
    """A child whose environment is made anew runs as ever, and so does one whose options are its own."""
    here = folder(main_cjs="""
    const { execFileSync } = require('child_process');
    console.log(execFileSync(process.execPath, ['-p', '3'], { env: {} }) + '');
    console.log(execFileSync(process.execPath, ['-p', 'process.env.NODE_OPTIONS'],
      { env: { ...process.env, NODE_OPTIONS: '--no-warnings' } }) + '');\n""" + SAY)
    is_alike([node(), "main.cjs"], here)


def worker_kinds():
    """Of a module, of a text, with an environment and options of its own, within a worker."""
    here = folder(part_mjs="import { parentPort } from 'worker_threads'; await 0;\n"
                           "parentPort.postMessage('m');\n" + SAY,
                  main_cjs="""
    const { Worker } = require('worker_threads');
    const run = (...words) => new Promise((done) => {
      const worker = new Worker(...words);
      worker.on('message', (m) => console.log('message', m));
      worker.on('exit', (code) => done(console.log('exit', code)));
    });
    (async () => {
      await run('./part.mjs');
      await run(`const { parentPort } = require('worker_threads');
        parentPort.postMessage(process.argv.length + process.execArgv.length)`, { eval: true, argv: ['x'] });
      await run('./part.mjs', { env: { ...process.env, A: '1' }, resourceLimits: { stackSizeMb: 3 } });
      await run(`new (require('worker_threads').Worker)('./part.mjs')`, { eval: true });
      await run('process.exit(6)', { eval: true });
      const endless = new Worker(`require('worker_threads').parentPort.postMessage(0);
        for (;;) Buffer.alloc(5000);`, { eval: true });
      endless.on('message', () => endless.terminate().then((code) => console.log('terminated', code)));
    })();""")
    is_alike([node(), "main.cjs"], here, said=3)


tare.Cases().each({
    **{f"node_{v}": each_version(v) for v in VERSIONS},
    "fork_and_spawn": forked, "cluster": clustered, "npm": by_npm, "typescript": by_typescript,
    "own_options": options_kept, "no_options": without_options, "workers": worker_kinds,
})
