import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { environmentSchema } from '../core/config/schema.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const compose = read('docker-compose.yml');

/** The lines of a top-level block of the compose file. */
function block(name: string): string[] {
  const lines = compose.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`${name}:`));
  const end = lines.findIndex((line, index) => index > start && /^\S/.test(line));
  return lines.slice(start + 1, end);
}

const handedOver = block('x-environment').flatMap((line) => line.match(/^ {2}([A-Z0-9_]+):/)?.[1] ?? []);

describe('the compose file', () => {
  it('passes every setting of the configuration to the containers', () => {
    const settings = Object.keys(environmentSchema.shape);
    expect(handedOver).toEqual(expect.arrayContaining(settings));
  });

  it('otherwise passes only what the Temporal and AWS clients read', () => {
    const unknown = handedOver.filter((name) => !(name in environmentSchema.shape));
    expect(unknown.filter((name) => !/^(TEMPORAL_|AWS_)/.test(name))).toEqual([]);
  });

  it('links to the Temporal UI at the port where it publishes it', () => {
    const addresses = compose.match(/TEMPORAL_UI_URL:-.*$/gm) ?? [];
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(address).toMatch(/localhost:\$\{TEMPORAL_UI_PORT:-8233\}/);
  });

  it('publishes ports on this machine only', () => {
    const ports = compose.match(/^ {4}ports:.*$/gm) ?? [];
    expect(ports.length).toBeGreaterThan(0);
    for (const line of ports) expect(line).toContain("['127.0.0.1:");
  });
});

it('the script that prepares a Temporal namespace says at once that it lacks its command', async () => {
  const script = execa('/bin/sh', ['deploy/temporal/setup-namespace.sh'], {
    cwd: root,
    env: { PATH: '/nowhere' },
    extendEnv: false,
    reject: false,
  });
  expect(await script).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Install the temporal'),
  });
});

it('the Temporal server of the compose file lets projects take turns, as the embedded one does', () => {
  expect(read('deploy/temporal/dynamic-config.yaml')).toMatch(
    /^matching\.enableFairness:\n {2}- value: true$/m,
  );
  expect(compose).toContain('./deploy/temporal/dynamic-config.yaml:');
});

it('the IAM policy allows every call to SES, and the older actions that SES checks for bulk calls and raw MIME', () => {
  const policy = read('docs/deployment.md').match(/^```json\n(\{\n {2}"Version"[\s\S]*?)^```$/m)?.[1] ?? '';
  const { Statement }: { Statement: { Action: string | string[] }[] } = JSON.parse(policy);
  const commands = globSync('providers/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map(read)
    .filter((source) => source.includes("'@aws-sdk/client-sesv2'"))
    .flatMap((source) => [...source.matchAll(/new (\w+)Command\(/g)].map((match) => `ses:${match[1]}`));
  expect(commands).toContain('ses:SendEmail');
  expect(Statement.flatMap(({ Action }) => Action)).toEqual(
    expect.arrayContaining([...commands, 'ses:SendRawEmail', 'ses:SendBulkTemplatedEmail']),
  );
});

describe('the image', () => {
  it('has the Node that package.json pins', () => {
    const pinned: string = JSON.parse(read('package.json')).dependencies.node;
    expect(read('Dockerfile')).toContain(`NODE_IMAGE=node:${pinned}-`);
  });

  it("has the root certificates that Temporal's SDK needs for TLS", async () => {
    const directory = await mkdtemp(join(tmpdir(), 'posthaste-certificates-'));
    const file = join(directory, 'ca-certificates.crt');
    const [, script = ''] = /node --eval "(.+rootCertificates.+)"$/m.exec(read('Dockerfile')) ?? [];
    await execa(process.execPath, ['--eval', script.replace('/etc/ssl/certs/ca-certificates.crt', file)]);
    const connect = `import { NativeConnection } from '@temporalio/worker';
      const connecting = NativeConnection.connect({ address: '127.0.0.1:1', tls: true });
      await connecting.catch(({ message }) => console.log(message));
      process.exit();`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', connect], {
      cwd: root,
      env: { SSL_CERT_FILE: file, SSL_CERT_DIR: directory },
    });
    await rm(directory, { recursive: true });
    expect(stdout).toContain('Connection refused');
  });

  it('runs modules that exist', () => {
    const modules = `${read('Dockerfile')}${compose}`.match(/[\w./-]+\.ts\b/g) ?? [];
    expect(modules).toEqual(expect.arrayContaining(['api/main.ts', 'temporal/worker/main.ts']));
    const missing = modules.filter((path) => !existsSync(`${root}${path.replace(/^\/app\//, '')}`));
    expect(missing).toEqual([]);
  });
});

describe('the example environment file', () => {
  it('holds no secret, and names only settings that exist', () => {
    const lines = read('.env.example').split('\n');
    const set = lines.filter((line) => /^[A-Z0-9_]+=./.test(line));
    expect(set).toEqual([]);
    const names = lines.flatMap((line) => line.match(/^#?([A-Z][A-Z0-9_]+)=/)?.[1] ?? []);
    const unknown = names.filter((name) => !compose.includes(`\${${name}`) && !handedOver.includes(name));
    expect(unknown).toEqual([]);
  });
});

it('the documents name files that exist, and link to some', () => {
  const folders =
    'api|analytics|bench|core|db|deploy|doctor|docs|journal|local|providers|runtime|temporal|test|web';
  const named = new RegExp(`\`((?:${folders})/[\\w./-]+\\.\\w+)\``, 'g');
  const documents = globSync(['*.md', '{docs,temporal,bench}/**/*.md'], { cwd: root });
  const missing = documents.flatMap((document) => {
    const text = read(document);
    const files = [...text.matchAll(named)].flatMap(([, path = '']) => path);
    const links = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map(([, path = '']) =>
      join(dirname(document), path),
    );
    return [...files, ...links]
      .filter((path) => !existsSync(root + path))
      .map((path) => `${document}: ${path}`);
  });
  expect(documents.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
