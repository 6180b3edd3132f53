import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export interface DashboardFiles {
  /** Stored variants of an asset by encoding, `identity` among them; undefined for an unknown one. */
  find(name: string): ReadonlyMap<Encoding, Buffer> | undefined;
  /** @param base relative address of `/app/` */
  page(base: string): { body: string; etag: string };
}

export type Encoding = 'br' | 'gzip' | 'identity';
const encodings: readonly [suffix: string, Encoding][] = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
];

/**
 * Reads a built dashboard into memory once, about 4 MB: a request names a known file or none, and the build is still
 * served after another process has replaced or removed it. Undefined when the folder holds no dashboard.
 */
export function openDashboardFiles(folder: string): DashboardFiles | undefined {
  let html: string;
  try {
    html = readFileSync(join(folder, 'index.html'), 'utf8');
  } catch {
    return undefined;
  }
  const files = new Map<string, Map<Encoding, Buffer>>();
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const entry = relative(folder, path);
    const [suffix, encoding] = encodings.find(([ending]) => entry.endsWith(ending)) ?? ['', 'identity'];
    const name = entry.slice(0, entry.length - suffix.length).replaceAll(sep, '/');
    const variants = files.get(name) ?? new Map();
    files.set(name, variants.set(encoding, readFileSync(path)));
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
