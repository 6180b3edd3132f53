import { ProgressBar } from 'react-aria-components/ProgressBar';

interface ProgressLineProps {
  label: string;
  value: number;
  max: number;
}

export function ProgressLine({ label, value, max }: ProgressLineProps) {
  return (
    <ProgressBar aria-label={label} value={value} maxValue={Math.max(max, 1)}>
      {({ percentage = 0 }) => (
        <div className="h-1.5 overflow-hidden rounded-full bg-hover">
          <div className="h-full bg-accent" style={{ width: `${percentage}%` }} />
        </div>
      )}
    </ProgressBar>
  );
}
