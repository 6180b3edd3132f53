import { useEffect, useRef, useState } from 'react';
import type { DefaultValues, FieldValues } from 'react-hook-form';
import type { z } from 'zod';
import { ifMatch, isStale } from '../api/if-match.ts';
import { type ApiForm, acceptValues, enterCarriedInput, restoreInput, useApiForm } from './form.ts';
import { isSameData } from './same-data.ts';
import { useReplacedToast } from './toast.tsx';

interface RecordFormOptions<Values extends FieldValues, Stored> {
  schema: z.ZodType<Values, Values>;
  /** The version read last. */
  stored: Stored;
  toValues: (stored: Stored) => Values;
  /** @param header makes the API refuse to overwrite a version that this user has not seen */
  write: (values: Values, header: ReturnType<typeof ifMatch>) => Promise<Stored>;
  read: () => Promise<Stored>;
}

export interface RecordForm<Values extends FieldValues> extends ApiForm<Values> {
  /** Calls `action`, unless unsaved values are invalid: then shows why beside their fields. */
  whenValid: (action: () => void) => void;
  /** The version that someone else has saved since; null if nobody has. */
  conflict: { keepMine: () => Promise<unknown>; loadTheirs: () => void; close: () => void } | null;
}

/** The form of a stored record that two people may edit at the same time. Neither loses what they typed. */
export function useRecordForm<Values extends FieldValues, Stored extends { id: string; updatedAt: string }>(
  options: RecordFormOptions<Values, Stored>,
): RecordForm<Values> {
  const { schema, stored, toValues, write, read } = options;
  const seen = useRef(stored.updatedAt);
  const [theirs, setTheirs] = useState<Stored | null>(null);
  const replaced = useReplacedToast();
  const apiForm = useApiForm<Values>({
    schema,
    defaultValues: toValues(stored) as DefaultValues<Values>,
    async save(values, { getValues }) {
      const entered = getValues();
      for (;;) {
        try {
          seen.current = (await write(values, ifMatch({ updatedAt: seen.current }))).updatedAt;
          break;
        } catch (error) {
          if (!isStale(error)) throw error;
          const newest = await read();
          if (!isSameData(toValues(newest), values)) {
            setTheirs(newest);
            throw error;
          }
          // An earlier try was stored, and its answer lost.
          seen.current = newest.updatedAt;
        }
      }
      acceptValues(form, entered, values);
      // It would restore what is older than the version just stored.
      replaced.close();
    },
  });
  const { form, run } = apiForm;
  const { isDirty } = form.formState;

  useEffect(() => {
    if (isDirty || stored.updatedAt <= seen.current) return;
    seen.current = stored.updatedAt;
    form.reset(toValues(stored));
  }, [isDirty, stored, form, toValues]);

  useEffect(() => enterCarriedInput(stored.id, form), [stored.id, form]);
  const close = () => setTheirs(null);
  return {
    ...apiForm,
    whenValid: (action) => void (isDirty ? form.handleSubmit(action)() : action()),
    // The dialog of the conflict says it better, and also how to go on.
    failure: isStale(apiForm.failure) ? null : apiForm.failure,
    conflict: theirs && {
      close,
      keepMine() {
        seen.current = theirs.updatedAt;
        close();
        return run();
      },
      loadTheirs() {
        const mine = form.getValues();
        seen.current = theirs.updatedAt;
        form.reset(toValues(theirs));
        close();
        const loaded = form.getValues();
        replaced.show('Their version has been loaded', () => restoreInput(form, mine, loaded));
      },
    },
  };
}
