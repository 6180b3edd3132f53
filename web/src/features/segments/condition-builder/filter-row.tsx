import { Trash2 } from 'lucide-react';
import type { Schema } from '../../../api/client.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Select } from '../../../ui/select.tsx';
import { type Filter, type Unit, units } from './condition.ts';
import { FieldSelect } from './field-select.tsx';
import { newFilter, withOperator, withValue } from './new-filter.ts';
import { NumberInput } from './number-input.tsx';
import {
  comparedType,
  type FieldSource,
  kindsOf,
  operatorsFor,
  operatorsOf,
  operatorWords,
  shapeOf,
  valueTypeOf,
} from './operators.ts';
import { useFieldValues } from './use-field-values.ts';
import type { KnownFields } from './use-fields.ts';
import { ValueEditor } from './value-editor.tsx';
import { ValueListInput } from './value-list-input.tsx';

interface FilterRowProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  onRemove: () => void;
  source: FieldSource;
  fields: KnownFields;
  errors: readonly Schema<'FieldIssue'>[];
  /** Path of this filter in the request. */
  path: string;
}

export function FilterRow({ filter, onChange, onRemove, source, fields, errors, path }: FilterRowProps) {
  const { field, operator } = filter;
  const values = useFieldValues(fields.typeOf(field) === 'string' ? field : '');
  const type = comparedType(fields.typeOf(field), values);
  const errorAt = (name: string) => errors.find((error) => error.field === `${path}.${name}`)?.message;
  const chooseField = (chosen: string) => {
    const [first = ''] = operatorsFor(kindsOf(chosen, source), fields.typeOf(chosen));
    onChange(newFilter(chosen, first));
  };
  return (
    <div className="flex items-start gap-1">
      <div className="flex min-w-0 flex-1 flex-wrap items-start gap-2">
        <FieldSelect
          value={field}
          onChange={chooseField}
          source={source}
          fields={fields}
          error={errorAt('field') ?? errors.find((error) => error.field === path)?.message}
          className="w-full sm:w-48"
        />
        {field !== '' && (
          <Select
            label="Comparison"
            isLabelHidden
            className="min-w-40 max-sm:flex-1"
            options={operatorsOf(filter, source, type).map((value) => ({
              value,
              label: operatorWords(value, valueTypeOf(filter, type)),
            }))}
            value={operator === '' ? null : operator}
            onChange={(chosen) => onChange(withOperator(filter, chosen))}
            error={errorAt('operator')}
          />
        )}
        <Operand filter={filter} onChange={onChange} type={type} errorAt={errorAt} />
      </div>
      <IconButton label="Remove this filter" onPress={onRemove}>
        <Trash2 className="size-4" />
      </IconButton>
    </div>
  );
}

interface OperandProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  type: ReturnType<KnownFields['typeOf']>;
  errorAt: (name: string) => string | undefined;
}

function Operand({ filter, onChange, type, errorAt }: OperandProps) {
  const { field, operator, value, within } = filter;
  if (field === '' || operator === '') return null;
  const error = errorAt('value');
  const number = (
    <NumberInput
      label={shapeOf(operator) === 'age' ? 'How long' : 'How often'}
      className="w-20"
      value={value}
      onChange={(amount) => onChange({ ...filter, value: amount })}
      error={error}
    />
  );
  const unit = <UnitSelect filter={filter} onChange={onChange} error={errorAt('unit')} />;
  switch (shapeOf(operator)) {
    case 'none':
      return null;
    case 'age':
      return (
        <>
          {number}
          {unit}
        </>
      );
    case 'count':
      return (
        <>
          {number}
          <Select
            label="Time range"
            isLabelHidden
            className="w-36"
            options={[
              { value: 'ever', label: 'times ever' },
              { value: 'last', label: 'times in the last' },
            ]}
            value={within === undefined ? 'ever' : 'last'}
            onChange={(span) => {
              const { within: _within, unit: _unit, ...ever } = filter;
              onChange(span === 'ever' ? ever : { ...ever, within: 30, unit: 'days' });
            }}
          />
          {within !== undefined && (
            <>
              <NumberInput
                label="How long"
                className="w-20"
                value={within}
                onChange={(amount) => onChange({ ...filter, within: amount ?? 0 })}
                error={errorAt('within')}
              />
              {unit}
            </>
          )}
        </>
      );
    case 'list':
      return <ValueListInput key={field} filter={filter} onChange={onChange} type={type} error={error} />;
    case 'value':
      return (
        <ValueEditor
          key={field}
          filter={filter}
          type={type}
          error={error}
          onChange={(changed) => onChange(withValue(filter, changed))}
        />
      );
  }
}

function UnitSelect({
  filter,
  onChange,
  error,
}: Pick<OperandProps, 'filter' | 'onChange'> & { error: string | undefined }) {
  return (
    <Select<Unit>
      label="Unit"
      isLabelHidden
      className="w-28"
      options={units.map((value) => ({ value, label: value }))}
      value={filter.unit ?? 'days'}
      onChange={(unit) => onChange({ ...filter, unit })}
      error={error}
    />
  );
}
