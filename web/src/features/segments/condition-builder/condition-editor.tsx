import { Plus, Split, Trash2 } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import type { Schema } from '../../../api/client.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Select } from '../../../ui/select.tsx';
import {
  blankFilter,
  blankGroup,
  type Condition,
  type Group,
  maxDepth,
  maxFilters,
  removeAt,
  replaceAt,
} from './condition.ts';
import { FilterRow } from './filter-row.tsx';
import type { FieldSource } from './operators.ts';
import type { KnownFields } from './use-fields.ts';

interface Shared {
  source: FieldSource;
  fields: KnownFields;
  errors: readonly Schema<'FieldIssue'>[];
  /** Number of filters in the whole tree. */
  filters: number;
}

interface ConditionEditorProps {
  condition: Condition;
  onChange: (condition: Condition) => void;
  path: string;
  depth: number;
  shared: Shared;
}

const logics = [
  { value: 'OR', label: 'or' },
  { value: 'AND', label: 'and' },
] as const;

export function ConditionEditor({ condition, onChange, path, depth, shared }: ConditionEditorProps) {
  const { logic, groups } = condition;
  const addGroup = () =>
    onChange({ logic: groups.length === 1 ? 'OR' : logic, groups: [...groups, blankGroup] });
  return (
    <div className="flex flex-col gap-2">
      <PathErrors paths={[path, `${path}.groups`, `${path}.logic`]} errors={shared.errors} />
      {groups.map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups have no id, and keep nothing but their props
        <Fragment key={at}>
          {at > 0 && (
            <Select
              label="Between the groups"
              isLabelHidden
              className="w-20"
              options={logics}
              value={logic}
              onChange={(chosen) => onChange({ logic: chosen, groups })}
            />
          )}
          <GroupEditor
            group={group}
            onChange={(changed) => onChange({ logic, groups: replaceAt(groups, at, changed) })}
            onRemove={groups.length > 1 ? () => onChange({ logic, groups: removeAt(groups, at) }) : undefined}
            path={`${path}.groups.${at}`}
            depth={depth}
            shared={shared}
          />
        </Fragment>
      ))}
      <Button
        look="quiet"
        className="self-start"
        isDisabled={shared.filters >= maxFilters}
        onPress={addGroup}
      >
        <Plus className="size-4" />
        {groups.length > 1 && logic === 'AND' ? 'And another group' : 'Or another group'}
      </Button>
    </div>
  );
}

interface GroupEditorProps {
  group: Group;
  onChange: (group: Group) => void;
  onRemove: (() => void) | undefined;
  path: string;
  depth: number;
  shared: Shared;
}

function GroupEditor({ group, onChange, onRemove, path, depth, shared }: GroupEditorProps) {
  const { filters, conditions } = group;
  const isFull = shared.filters >= maxFilters;
  const removeFilter = (index: number) => {
    const left = removeAt(filters, index);
    if (left.length > 0 || conditions) onChange({ ...group, filters: left });
    else if (onRemove) onRemove();
    else onChange(blankGroup);
  };
  const removeNested = () => onChange({ filters: filters.length > 0 ? filters : [blankFilter] });
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-lg border border-line p-3">
      <legend className="sr-only">All of these</legend>
      {filters.map((filter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: filters have no id, and keep nothing but their props
        <Line key={index} word={index === 0 ? 'Where' : 'and'}>
          <FilterRow
            filter={filter}
            onChange={(changed) => onChange({ ...group, filters: replaceAt(filters, index, changed) })}
            onRemove={() => removeFilter(index)}
            path={`${path}.filters.${index}`}
            {...shared}
          />
        </Line>
      ))}
      {conditions && (
        <Line word={filters.length === 0 ? 'Where' : 'and'}>
          <div className="flex items-start gap-1">
            <div className="min-w-0 flex-1 border-l-2 border-accent-soft pl-2">
              <ConditionEditor
                condition={conditions}
                onChange={(changed) => onChange({ ...group, conditions: changed })}
                path={`${path}.conditions`}
                depth={depth + 1}
                shared={shared}
              />
            </div>
            <IconButton label="Remove these alternatives" onPress={removeNested}>
              <Trash2 className="size-4" />
            </IconButton>
          </div>
        </Line>
      )}
      <PathErrors paths={[path, `${path}.filters`]} errors={shared.errors} />
      <GroupActions group={group} onChange={onChange} onRemove={onRemove} depth={depth} isFull={isFull} />
    </fieldset>
  );
}

interface GroupActionsProps extends Pick<GroupEditorProps, 'group' | 'onChange' | 'onRemove' | 'depth'> {
  isFull: boolean;
}

function GroupActions({ group, onChange, onRemove, depth, isFull }: GroupActionsProps) {
  const { filters, conditions } = group;
  return (
    <div className="flex flex-wrap gap-1">
      <Button
        look="quiet"
        isDisabled={isFull}
        onPress={() => onChange({ ...group, filters: [...filters, blankFilter] })}
      >
        <Plus className="size-4" />
        And
      </Button>
      {!conditions && depth < maxDepth && (
        <Button
          look="quiet"
          isDisabled={isFull}
          onPress={() =>
            onChange({ ...group, conditions: { logic: 'OR', groups: [blankGroup, blankGroup] } })
          }
        >
          <Split className="size-4" />
          And one of several
        </Button>
      )}
      {onRemove && (filters.length > 1 || conditions) && (
        <Button look="quiet" className="ml-auto" onPress={onRemove}>
          Remove the group
        </Button>
      )}
    </div>
  );
}

function Line({ word, children }: { word: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1 sm:flex-row sm:gap-2">
      <span className="shrink-0 text-muted sm:w-12 sm:pt-1.5">{word}</span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}

function PathErrors({ paths, errors }: { paths: string[]; errors: Shared['errors'] }) {
  const own = errors.filter(({ field }) => paths.includes(field));
  if (own.length === 0) return null;
  return (
    <div role="alert" className="text-xs text-bad">
      {own.map(({ field, message }) => (
        <p key={field}>{message}</p>
      ))}
    </div>
  );
}
