/** One line of the table; it holds when nothing is missing and nothing is there too often. */
export interface Finding {
  what: string;
  /** What was accepted, or what the one side has. */
  accepted: number;
  found: number;
  missing: number;
  /** More often than once, without a reason. */
  twice: number;
  /** Emails whose hand-over was recorded UNKNOWN. */
  unknown?: number;
  /** Of these the ones that left twice, which decision 5 allows for transactional email. */
  unknownTwice?: number;
  /** The client was not told whether it was accepted; it may be there once or not. */
  inDoubt?: number;
  /** A few of those that are wrong. */
  examples?: string[];
}

export const holds = ({ missing, twice }: Finding) => missing === 0 && twice === 0;

/** Two figures that must be equal: what is less is missing, what is more is there too often. */
export const compare = (what: string, accepted: number, found: number): Finding => ({
  what,
  accepted,
  found,
  missing: Math.max(0, accepted - found),
  twice: Math.max(0, found - accepted),
});

const columns: [string, (finding: Finding) => string | number | undefined][] = [
  ['', ({ what }) => what],
  ['accepted', ({ accepted }) => accepted],
  ['found', ({ found }) => found],
  ['missing', ({ missing }) => missing],
  ['twice', ({ twice }) => twice],
  ['unknown', ({ unknown }) => unknown],
  ['of them twice', ({ unknownTwice }) => unknownTwice],
  ['in doubt', ({ inDoubt }) => inDoubt],
  ['', (finding) => (holds(finding) ? 'holds' : 'BROKEN')],
];

export function presentFindings(findings: readonly Finding[]): string {
  const cells = [
    columns.map(([title]) => title),
    ...findings.map((finding) =>
      columns.map(([, value]) => {
        const shown = value(finding) ?? '';
        return typeof shown === 'number' ? shown.toLocaleString('en-US') : shown;
      }),
    ),
  ];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const examples = findings.flatMap(({ what, examples = [] }) => examples.map((one) => `${what}: ${one}`));
  return [...lines, ...examples].join('\n');
}
