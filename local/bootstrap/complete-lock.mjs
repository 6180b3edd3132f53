// Adds to package-lock.json the optional packages of other platforms that npm left out because the registry did not
// offer them; `npm ci` rejects a lock file without them. Run it after `npm install <package>` when the lock file test
// fails: node local/bootstrap/complete-lock.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8'));
const known = new Set(Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, '')));
const platform =
  /(android|darwin|freebsd|linux|openharmony|win32|windows|netbsd|openbsd|sunos|aix)-(x64|arm64|arm|ia32|ppc64|riscv64|s390x|loong64|mips64el)(?:-(gnu|musl|msvc|gnueabihf|musleabihf|eabi))?$/;

let added = 0;
for (const owner of Object.values({ ...lock.packages })) {
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    if (known.has(name)) continue;
    const parts = platform.exec(name);
    if (parts === null) throw new Error(`${name}: no platform can be read from this name`);
    const [, os, cpu, abi] = parts;
    lock.packages[`node_modules/${name}`] = {
      version: version.replace(/^[\^~]/, ''),
      cpu: [cpu],
      ...(owner.dev && { dev: true }),
      ...(os === 'linux' && abi && { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] }),
      ...(owner.license && { license: owner.license }),
      optional: true,
      os: [os === 'windows' ? 'win32' : os],
    };
    known.add(name);
    added += 1;
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = Object.fromEntries(sorted);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} packages added\n`);
