import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

export interface DashboardFile {
  path: string;
  size: number;
}

export interface DashboardFiles {
  /** Stored variants of an asset by encoding, `identity` among them; undefined for an unknown one. */
  find(name: string): ReadonlyMap<Encoding, DashboardFile> | undefined;
  /** @param base relative address of `/app/` */
  page(base: string): { body: string; etag: string };
}

export type Encoding = 'br' | 'gzip' | 'identity';
const encodings: readonly [suffix: string, Encoding][] = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
];

/**
 * Lists a built dashboard once, so that a request names a known file or none. Undefined when the folder holds no
 * dashboard.
 */
export function openDashboardFiles(folder: string): DashboardFiles | undefined {
  let html: string;
  try {
    html = readFileSync(join(folder, 'index.html'), 'utf8');
  } catch {
    return undefined;
  }
  const files = new Map<string, Map<Encoding, DashboardFile>>();
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, entry);
    const stat = statSync(path);
    if (!stat.isFile()) continue;
    const [suffix, encoding] = encodings.find(([ending]) => entry.endsWith(ending)) ?? ['', 'identity'];
    const name = entry.slice(0, entry.length - suffix.length).replaceAll(sep, '/');
    const variants = files.get(name) ?? new Map();
    files.set(name, variants.set(encoding, { path, size: stat.size }));
  }
  files.delete('index.html');
  return {
    find: (name) => files.get(name),
    page: (base) => {
      const body = html.replace(/<head[^>]*>/, (head) => `${head}\n    <base href="${base}">`);
      return { body, etag: createHash('sha256').update(body).digest('base64url').slice(0, 22) };
    },
  };
}
