import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { labelLook } from './field.tsx';

interface RadioChoiceProps<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}

/** A choice that shows all its options; the arrow keys select. */
export function RadioChoice<Value extends string>(props: RadioChoiceProps<Value>) {
  const { label, options, value, onChange } = props;
  return (
    <RadioGroup
      value={value}
      onChange={(chosen) => onChange(chosen as Value)}
      className="flex flex-col gap-1.5"
    >
      <Label className={labelLook}>{label}</Label>
      <div className="flex flex-wrap gap-x-5 gap-y-1.5">
        {options.map((option) => (
          <Radio
            key={option.value}
            value={option.value}
            className="group flex cursor-pointer items-center gap-2"
          >
            <span className="flex size-4 items-center justify-center rounded-full border border-line-strong group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-accent group-data-[selected]:border-5 group-data-[selected]:border-accent" />
            {option.label}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
