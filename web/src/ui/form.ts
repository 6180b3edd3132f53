import { zodResolver } from '@hookform/resolvers/zod';
import { useRef } from 'react';
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type PathValue,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import type { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import { useFailure } from './use-failure.ts';

export interface ApiForm<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  /** An error that belongs to no field; `ErrorNote` shows it. */
  failure: unknown;
  /** Validates, calls `save`, and shows the API's issues beside their fields. @returns why it was not saved, else null */
  run: () => Promise<unknown>;
  /** The same as `run`, for `<form onSubmit>` and buttons. */
  submit: (event?: { preventDefault: () => void }) => void;
}

export interface ApiFormOptions<Values extends FieldValues> {
  schema: z.ZodType<Values, Values>;
  defaultValues: DefaultValues<Values>;
  /** `form` takes errors that are only found while saving. */
  save: (values: Values, form: UseFormReturn<Values>) => Promise<unknown>;
}

/** A form whose fields show the errors of the schema and then of the API. */
export function useApiForm<Values extends FieldValues>(options: ApiFormOptions<Values>): ApiForm<Values> {
  const { schema, defaultValues, save } = options;
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues });
  const [failure, fail] = useFailure();
  const running = useRef<Promise<unknown> | null>(null);
  const saveOnce = async () => {
    let fault: unknown = new Error('Some fields are not valid, so nothing was saved.');
    fail(null);
    await form.handleSubmit(async (values) => {
      try {
        await save(values, form);
        fault = null;
      } catch (error) {
        fault = error;
        const issues = error instanceof ApiError ? error.issues : [];
        const ofFields = issues.filter(({ field }) => field in values);
        for (const [at, { field, message }] of ofFields.entries())
          form.setError(field as Path<Values>, { message }, { shouldFocus: at === 0 });
        if (issues.length === 0 || ofFields.length < issues.length) fail(error);
      }
    })();
    return fault;
  };
  // While a save is in progress, a second press or another button waits for it: a second save would store the record
  // twice, or conflict with the first one.
  const run = () =>
    (running.current ??= saveOnce().finally(() => {
      running.current = null;
    }));
  return {
    form,
    failure,
    run,
    submit: (event) => {
      event?.preventDefault();
      void run();
    },
  };
}

/**
 * Marks values as stored. What was typed while they were being saved stays as an unsaved change.
 *
 * @param entered the values of the fields when the save began; `stored` may have them trimmed
 */
export function acceptValues<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  entered: Values,
  stored: Values,
): void {
  const current = form.getValues();
  form.reset(stored);
  enterChanges(form, current, entered);
}

/** Enters the values that differ from `others`, as unsaved changes. */
export function enterChanges<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  values: Values,
  others: Values,
): void {
  // as: the names of the fields.
  for (const name of Object.keys(values) as Path<Values>[]) {
    const value: PathValue<Values, Path<Values>> = values[name];
    if (value !== others[name]) form.setValue(name, value, { shouldDirty: true });
  }
}

/** Enters values that others have replaced, but not over what was typed since. */
export function restoreInput<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  values: Values,
  others: Values,
): void {
  const untouched = Object.entries(form.getValues()).filter(([name, value]) => value === others[name]);
  const restored = untouched.map(([name]) => [name, values[name]]);
  enterChanges(form, { ...others, ...Object.fromEntries(restored) }, others);
}

/** By the id of a record that was just created. */
const typedMeanwhile = new Map<string, FieldValues>();

/**
 * Keeps what was typed into the form of a new record while it was being created, for the form of the record's own page.
 *
 * @param entered the values of the fields when the save began
 * @returns whether anything was typed
 */
export function carryInput(id: string, values: FieldValues, entered: FieldValues): boolean {
  const typed = Object.entries(values).filter(([name, value]) => value !== entered[name]);
  if (typed.length > 0) typedMeanwhile.set(id, Object.fromEntries(typed));
  return typed.length > 0;
}

/** Enters it there, as unsaved changes. */
export function enterCarriedInput<Values extends FieldValues>(id: string, form: UseFormReturn<Values>): void {
  // as: the same fields as in the form of a new record.
  const typed = typedMeanwhile.get(id) as Partial<Values> | undefined;
  typedMeanwhile.delete(id);
  if (typed !== undefined) enterChanges(form, { ...form.getValues(), ...typed }, form.getValues());
}
