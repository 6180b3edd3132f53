import { Check, ChevronDown } from 'lucide-react';
import { type ReactNode, type RefCallback, useContext, useEffect, useEffectEvent, useRef } from 'react';
import { Button } from 'react-aria-components/Button';
import { ComboBox as AriaComboBox, ComboBoxStateContext } from 'react-aria-components/ComboBox';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { Text } from 'react-aria-components/Text';
import { classNames } from './class-names.ts';
import { FieldNotes, inputLook, labelLook } from './field.tsx';

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
  /** A second line. */
  note?: string;
}

interface SelectProps<Value extends string> {
  label: string;
  isLabelHidden?: boolean;
  options: readonly Option<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
  hint?: ReactNode;
  error?: string | undefined;
  placeholder?: string;
  isDisabled?: boolean;
  className?: string;
}

/** Styles of the button within a `group/choice`. */
export const choiceLook = classNames(
  inputLook,
  'flex h-8 items-center justify-between gap-2 text-left group-data-[invalid]/choice:border-bad',
);
export const popoverLook =
  'max-h-80 min-w-(--trigger-width) overflow-auto rounded-lg bg-raised p-1 shadow-overlay outline-none';
export const optionLook =
  'flex items-center gap-2 rounded-md px-2 py-1.5 outline-none data-[focused]:bg-hover data-[disabled]:opacity-50';

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, isLabelHidden, options, value, onChange, hint, error, placeholder, isDisabled, className } =
    props;
  return (
    <AriaSelect
      {...(isLabelHidden && { 'aria-label': label })}
      value={value}
      onChange={(key) => key !== null && onChange(key as Value)}
      isInvalid={error !== undefined}
      isDisabled={isDisabled ?? false}
      placeholder={placeholder ?? 'Choose'}
      className={classNames('group/choice flex min-w-0 flex-col gap-1', className)}
    >
      {!isLabelHidden && <Label className={labelLook}>{label}</Label>}
      <Button className={choiceLook}>
        <SelectValue className="truncate data-[placeholder]:text-faint [&_[slot=description]]:hidden" />
        <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
      </Button>
      <FieldNotes hint={hint} error={error} />
      <Popover offset={4} className={popoverLook}>
        <ListBox className="outline-none">
          {options.map((option) => (
            <OptionItem key={option.value} option={option} />
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

export function OptionItem({ option }: { option: Option }) {
  return (
    <ListBoxItem id={option.value} textValue={option.label} className={optionLook}>
      {({ isSelected }) => (
        <>
          <span className="min-w-0 flex-1">
            <span className="block truncate">{option.label}</span>
            {option.note && <OptionNote>{option.note}</OptionNote>}
          </span>
          {isSelected && <Check aria-hidden className="size-4 text-accent-text" />}
        </>
      )}
    </ListBoxItem>
  );
}

/** Shown only in the list, because the button of a select has one line. */
export function OptionNote({ children }: { children: string }) {
  return (
    <Text slot="description" className="block truncate text-xs text-muted">
      {children}
    </Text>
  );
}

interface ComboBoxProps extends Omit<SelectProps<string>, 'value' | 'onChange'> {
  /** The text of the field: an option, or what the user types. */
  value: string;
  onChange: (value: string) => void;
  inputRef?: RefCallback<HTMLInputElement>;
}

/** A text field with suggestions that accepts any text. */
export function ComboBox(props: ComboBoxProps) {
  const { label, isLabelHidden, options, value, onChange, hint, error, placeholder, isDisabled, className } =
    props;
  const suggestions = options.filter((option) => option.value !== value);
  const field = useRef<HTMLDivElement>(null);
  const isSuggested = suggestions.some((option) => option.value.toLowerCase().includes(value.toLowerCase()));
  return (
    <AriaComboBox
      ref={field}
      {...(isLabelHidden && { 'aria-label': label })}
      allowsCustomValue
      menuTrigger="focus"
      inputValue={value}
      onInputChange={onChange}
      isInvalid={error !== undefined}
      isDisabled={isDisabled ?? false}
      className={classNames('flex min-w-0 flex-col gap-1', className)}
    >
      {!isLabelHidden && <Label className={labelLook}>{label}</Label>}
      <Input ref={props.inputRef} placeholder={placeholder} className={classNames(inputLook, 'h-8')} />
      <FieldNotes hint={hint} error={error} />
      <FollowSuggestions isSuggested={isSuggested} isEmpty={suggestions.length === 0} />
      {/* Below the whole field, so that its hint or error stays readable. */}
      <Popover triggerRef={field} offset={4} className={popoverLook}>
        <ListBox className="outline-none">
          {suggestions.map((option) => (
            <ListBoxItem key={option.value} id={option.value} textValue={option.value} className={optionLook}>
              <span className="min-w-0 flex-1">
                <span className="block truncate">{option.label}</span>
                {option.note && <OptionNote>{option.note}</OptionNote>}
              </span>
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}

/**
 * Opens the list when suggestions arrive while the field has the focus; otherwise they would show only at the next key.
 * Closes it when the last one goes: a list that the focus opened stays open, empty, and hides the rest of a dialog from
 * assistive technology.
 */
function FollowSuggestions({ isSuggested, isEmpty }: { isSuggested: boolean; isEmpty: boolean }) {
  const state = useContext(ComboBoxStateContext);
  const show = useEffectEvent(() => {
    if (state?.isFocused && !state.isOpen) state.open(null, 'focus');
  });
  const hide = useEffectEvent(() => {
    if (state?.isOpen) state.close();
  });
  useEffect(() => {
    if (!isSuggested) return;
    // The field gets the suggestions one render later.
    const timer = setTimeout(show);
    return () => clearTimeout(timer);
  }, [isSuggested]);
  useEffect(() => {
    if (isEmpty) hide();
  }, [isEmpty]);
  return null;
}
