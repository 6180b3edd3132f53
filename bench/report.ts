export interface Figure {
  work: string;
  value: number;
  unit: string;
  /** The required limit; absent for figures that only explain others. */
  bar?: { atLeast: number } | { below: number };
  /** What the same machine reached in the same run with less to do. */
  limits?: { what: string; value: number; unit?: string }[];
  note?: string;
}

export interface BenchRun {
  report: (figure: Figure) => void;
  isQuick: boolean;
  /** For `explain`: keeps the data it fills in, for the next run. */
  folder?: string | undefined;
}

export async function reportEach(figures: AsyncIterable<Figure>, report: BenchRun['report']): Promise<void> {
  for await (const figure of figures) report(figure);
}

export interface BenchReport {
  bench: string;
  seconds: number;
  /** Load average before the run: above zero, others used the machine and rates are too low. */
  loadBefore: number;
  figures: Figure[];
  failure?: string;
}

export type Verdict = 'met' | 'missed' | '';

export function verdictOf({ value, bar }: Figure): Verdict {
  if (bar === undefined) return '';
  const isMet = 'atLeast' in bar ? value >= bar.atLeast : value < bar.below;
  return isMet ? 'met' : 'missed';
}

const digits = (value: number) => (Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 1);

function show(value: number, unit: string): string {
  const rounded = value.toLocaleString('en-US', { maximumFractionDigits: digits(value) });
  return unit.startsWith('/') ? `${rounded}${unit}` : `${rounded} ${unit}`;
}

function showBar({ bar, unit }: Figure): string {
  if (bar === undefined) return '';
  return 'atLeast' in bar ? `bar ≥ ${show(bar.atLeast, unit)}` : `bar < ${show(bar.below, unit)}`;
}

export function presentFigure(figure: Figure): string {
  const columns = [
    figure.work.padEnd(52),
    show(figure.value, figure.unit).padStart(14),
    showBar(figure).padEnd(20),
    verdictOf(figure),
  ];
  const lines = [`  ${columns.join('  ').trimEnd()}`];
  for (const { what, value, unit } of figure.limits ?? []) {
    const isComparable = unit === undefined && value > 0 && figure.unit.startsWith('/');
    const share = isComparable ? `, reached ${Math.round((figure.value / value) * 100)} %` : '';
    lines.push(`    limit: ${what} ${show(value, unit ?? figure.unit)}${share}`);
  }
  if (figure.note !== undefined) lines.push(`    ${figure.note}`);
  return lines.join('\n');
}

export function presentSummary(reports: readonly BenchReport[]): string {
  const withBar = reports.flatMap(({ bench, figures }) => figures.map((figure) => ({ bench, figure })));
  const missed = withBar.filter(({ figure }) => verdictOf(figure) === 'missed');
  const met = withBar.filter(({ figure }) => verdictOf(figure) === 'met');
  const lines = [`Bars: ${met.length} met, ${missed.length} missed`];
  for (const { bench, figure } of missed) {
    lines.push(`  missed  ${bench}: ${figure.work} ${show(figure.value, figure.unit)}, ${showBar(figure)}`);
  }
  return [...lines, presentFailures(reports)].join('\n').trimEnd();
}

const presentFailures = (reports: readonly BenchReport[]): string =>
  reports
    .flatMap(({ bench, failure }) => (failure === undefined ? [] : `  failed  ${bench}: ${failure}`))
    .join('\n');

/** For each row with a bar in several runs: its median, which is compared with the bar, and its spread. */
export function presentMedians(reports: readonly BenchReport[]): string {
  const rows = Map.groupBy(
    reports.flatMap(({ figures }) => figures.filter(({ bar }) => bar !== undefined)),
    ({ work }) => work,
  );
  const lines = [...rows.values()].flatMap((figures) => {
    const sorted = figures.toSorted((a, b) => a.value - b.value);
    const [least, median, most] = [0, Math.floor(sorted.length / 2), -1].map((index) => sorted.at(index));
    if (least === undefined || median === undefined || most === undefined) return [];
    const { work, value, unit, bar = { atLeast: 0 } } = median;
    const spread = `${show(least.value, unit)} to ${show(most.value, unit)}, ${sorted.length} runs`;
    return presentFigure({ work, value, unit, bar, note: spread });
  });
  return ['Medians, and the spread of the runs:', ...lines, presentFailures(reports)].join('\n').trimEnd();
}
