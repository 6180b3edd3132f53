import { globSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const builds = fileURLToPath(new URL('../.cache/web', import.meta.url));

/** Folder of the newest build of the dashboard, as `DASHBOARD_DIR`; undefined without one. */
export function newestDashboard(): string | undefined {
  const pages = globSync(`${builds}/*/index.html`);
  const newest = pages.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
  return newest && dirname(newest);
}
