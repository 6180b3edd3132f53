import { ToggleButton } from 'react-aria-components/ToggleButton';
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup';
import { cardCount, count } from '../../ui/numbers.ts';
import { type Bucket, changeText, type Metric, metrics, sumOf } from './metrics.ts';

interface FiguresProps {
  now: readonly Bucket[];
  before: readonly Bucket[];
  /** The metric that the chart shows. */
  selected: Metric;
  onSelect: (metric: Metric) => void;
}

/** The totals of the period and how they changed; each one selects its chart. */
export function Figures({ now, before, selected, onSelect }: FiguresProps) {
  return (
    <ToggleButtonGroup
      aria-label="Shown in the chart"
      disallowEmptySelection
      selectedKeys={[selected]}
      onSelectionChange={(keys) => {
        const metric = metrics.find(({ key }) => keys.has(key));
        if (metric) onSelect(metric.key);
      }}
      className="grid grid-cols-2 gap-2 sm:grid-cols-4 xl:grid-cols-7"
    >
      {metrics.map(({ key, label }) => {
        const sum = sumOf(now, key);
        const sumBefore = sumOf(before, key);
        return (
          <ToggleButton
            key={key}
            id={key}
            className="flex cursor-pointer flex-col items-start rounded-lg border border-line px-3 py-2 text-left hover:bg-sunken data-[selected]:border-accent data-[selected]:bg-accent-soft"
          >
            <span className="text-xs text-muted">{label}</span>
            <span data-numeric className="text-xl font-semibold" title={count(sum)}>
              {cardCount(sum)}
            </span>
            <span data-numeric className="text-xs text-muted">
              {changeText(sum, sumBefore)}
              <span className="sr-only"> compared with {count(sumBefore)} in the previous period</span>
            </span>
          </ToggleButton>
        );
      })}
    </ToggleButtonGroup>
  );
}
