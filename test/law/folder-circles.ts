import path from 'node:path';

interface Import {
  from: string;
  to: string;
}

type Arrows = Map<string, Map<string, Import>>;

/**
 * Finds circular imports among the parts of each folder. The parts are its subfolders, each with everything below it,
 * and its own files, which count as one part.
 *
 * @returns for each folder with a circle, the imports along it
 */
export function folderCircles(imports: readonly Import[]): string[] {
  const arrowsIn = new Map<string, Arrows>();
  for (const one of imports) {
    const { folder, from, to } = partsOf(one);
    if (from === to) continue;
    const arrows: Arrows = arrowsIn.get(folder) ?? new Map();
    arrowsIn.set(folder, arrows.set(from, new Map(arrows.get(from)).set(to, one)));
  }
  return [...arrowsIn].flatMap(([folder, arrows]) => {
    const lines = findCircle(arrows)?.map(({ from, to }) => `\n  ${from} → ${to}`);
    return lines === undefined ? [] : [`Circle of folders in ${folder}:${lines.join('')}`];
  });
}

/** The deepest folder that contains both files, and the part of it that each file is in. */
function partsOf({ from, to }: Import): { folder: string; from: string; to: string } {
  const one = path.dirname(from).split('/');
  const other = path.dirname(to).split('/');
  let depth = 0;
  while (depth < one.length && one[depth] === other[depth]) depth += 1;
  const ownFiles = '.';
  return {
    folder: one.slice(0, depth).join('/') || 'the repository',
    from: one[depth] ?? ownFiles,
    to: other[depth] ?? ownFiles,
  };
}

/** Depth-first search. */
function findCircle(arrows: Arrows): Import[] | undefined {
  const finished = new Set<string>();
  const visit = (part: string, parts: string[], way: Import[]): Import[] | undefined => {
    const start = parts.indexOf(part);
    if (start >= 0) return way.slice(start);
    if (finished.has(part)) return undefined;
    for (const [next, one] of arrows.get(part) ?? []) {
      const circle = visit(next, [...parts, part], [...way, one]);
      if (circle !== undefined) return circle;
    }
    finished.add(part);
    return undefined;
  };
  for (const part of arrows.keys()) {
    const circle = visit(part, [], []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
