import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export interface BuiltDashboard {
  folder: string;
  remove(): Promise<void>;
}

/** Writes a folder like one that the dashboard build leaves, with this script. */
export async function writeBuiltDashboard(script: string): Promise<BuiltDashboard> {
  const folder = await mkdtemp(join(tmpdir(), 'posthaste-dashboard-'));
  await mkdir(join(folder, 'assets'));
  const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Posthaste</title>
    <link rel="icon" href="data:," />
    <script type="module" src="./assets/app-1a2b.js"></script>
  </head>
  <body></body>
</html>
`;
  const asset = join(folder, 'assets/app-1a2b.js');
  await writeFile(join(folder, 'index.html'), page);
  await writeFile(join(folder, 'robots.txt'), 'Disallow: /');
  await writeFile(asset, script);
  await writeFile(`${asset}.br`, brotliCompressSync(script));
  await writeFile(`${asset}.gz`, gzipSync(script));
  return { folder, remove: () => rm(folder, { recursive: true }) };
}
