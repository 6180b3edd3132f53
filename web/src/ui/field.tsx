import { Check, Minus, Search, X } from 'lucide-react';
import type { ReactNode, RefCallback } from 'react';
import { Button } from 'react-aria-components/Button';
import { Checkbox as AriaCheckbox } from 'react-aria-components/Checkbox';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { SearchField as AriaSearchField } from 'react-aria-components/SearchField';
import { Switch as AriaSwitch } from 'react-aria-components/Switch';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components/TextField';
import { classNames } from './class-names.ts';

export const labelLook = 'text-sm font-medium text-ink';
export const inputLook =
  'w-full min-w-0 scroll-mt-[calc(var(--page-header,0px)+2.5rem)] rounded-md border border-line-strong bg-canvas px-2.5 text-base text-ink outline-none ' +
  'focus:border-accent focus:ring-2 focus:ring-accent/25 data-[invalid]:border-bad disabled:bg-sunken disabled:text-faint';

/** The note below a field, replaced by its error. */
export function FieldNotes({ hint, error }: { hint?: ReactNode; error?: string | undefined }) {
  return (
    <>
      {hint && !error && (
        <Text slot="description" className="text-xs text-muted">
          {hint}
        </Text>
      )}
      <FieldError className="text-xs text-bad">{error}</FieldError>
    </>
  );
}

/** Makes Chromium go on from a year of four digits; it would wait for two more. */
const latest: Partial<Record<string, string>> = { date: '9999-12-31', 'datetime-local': '9999-12-31T23:59' };

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'className' | 'isInvalid' | 'children'> {
  label: string;
  /** For a field with other visible text beside it. */
  isLabelHidden?: boolean;
  hint?: ReactNode;
  error?: string | undefined;
  placeholder?: string;
  /** Renders a text area with this many lines. */
  rows?: number;
  /** Lets a form focus its first invalid field. */
  inputRef?: RefCallback<HTMLInputElement | HTMLTextAreaElement>;
  className?: string;
}

export function TextField({
  label,
  isLabelHidden,
  hint,
  error,
  placeholder,
  rows,
  inputRef,
  className,
  ...props
}: TextFieldProps) {
  return (
    <AriaTextField
      {...props}
      {...(isLabelHidden && { 'aria-label': label })}
      validationBehavior="aria"
      isInvalid={error !== undefined}
      className={classNames('flex min-w-0 flex-col gap-1', className)}
    >
      {!isLabelHidden && <Label className={labelLook}>{label}</Label>}
      {rows === undefined ? (
        <Input
          ref={inputRef}
          placeholder={placeholder}
          max={latest[props.type ?? 'text']}
          className={classNames(inputLook, 'h-8')}
        />
      ) : (
        <TextArea
          ref={inputRef}
          rows={rows}
          placeholder={placeholder}
          className={classNames(inputLook, 'py-1.5')}
        />
      )}
      <FieldNotes hint={hint} error={error} />
    </AriaTextField>
  );
}

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
}

export function SearchField({ label, value, onChange, className }: SearchFieldProps) {
  return (
    <AriaSearchField
      aria-label={label}
      value={value}
      onChange={onChange}
      className={classNames('relative flex w-full items-center sm:w-64', className)}
    >
      <Search aria-hidden className="pointer-events-none absolute left-2.5 size-4 text-faint" />
      <Input
        placeholder={label}
        className={classNames(inputLook, 'h-8 px-8 [&::-webkit-search-cancel-button]:hidden')}
      />
      {value !== '' && (
        <Button aria-label="Clear" className="absolute right-2 text-faint hover:text-ink">
          <X className="size-4" />
        </Button>
      )}
    </AriaSearchField>
  );
}

interface ToggleProps {
  children?: ReactNode;
  'aria-label'?: string;
  isSelected: boolean;
  isIndeterminate?: boolean;
  isDisabled?: boolean;
  onChange: (isSelected: boolean) => void;
}

export function Checkbox({ children, ...props }: ToggleProps) {
  return (
    <AriaCheckbox {...props} className="group inline-flex items-center gap-2 data-[disabled]:opacity-50">
      <span className="flex size-4 items-center justify-center rounded border border-line-strong text-accent-ink group-data-[focus-visible]:outline-2 group-data-[indeterminate]:border-accent group-data-[indeterminate]:bg-accent group-data-[selected]:border-accent group-data-[selected]:bg-accent">
        {props.isIndeterminate ? (
          <Minus className="size-3" strokeWidth={3} />
        ) : (
          props.isSelected && <Check className="size-3" strokeWidth={3} />
        )}
      </span>
      {children}
    </AriaCheckbox>
  );
}

export function Switch({ children, ...props }: Omit<ToggleProps, 'isIndeterminate'>) {
  return (
    <AriaSwitch {...props} className="group inline-flex items-center gap-2 data-[disabled]:opacity-50">
      <span className="flex h-4.5 w-8 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors duration-100 group-data-[focus-visible]:outline-2 group-data-[selected]:bg-accent">
        <span className="size-3.5 rounded-full bg-white transition-transform duration-100 group-data-[selected]:translate-x-3.5" />
      </span>
      {children}
    </AriaSwitch>
  );
}
