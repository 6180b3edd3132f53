import { classNames } from './class-names.ts';
import { toHex } from './css-color.ts';
import { labelLook } from './field.tsx';

interface ColorFieldProps {
  label: string;
  isLabelHidden?: boolean;
  /** Any CSS color. */
  value: string;
  /** Gets `#rrggbb`. */
  onChange: (value: string) => void;
  className?: string;
}

export function ColorField({ label, isLabelHidden = false, value, onChange, className }: ColorFieldProps) {
  return (
    <label className={classNames('flex shrink-0 flex-col gap-1', className)}>
      {!isLabelHidden && <span className={labelLook}>{label}</span>}
      <input
        type="color"
        aria-label={label}
        value={toHex(value)}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-10 cursor-pointer rounded-md border border-line-strong bg-canvas p-0.5"
      />
    </label>
  );
}
