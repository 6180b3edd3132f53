import { useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import type { Schema } from '../../../api/client.ts';
import { type Condition, readCondition } from './condition.ts';

/**
 * The state of a condition that a form edits beside its fields.
 *
 * @param raw as the API answered it
 */
export function useEditedCondition(raw: unknown) {
  const [condition, setCondition] = useState(() => readCondition(raw));
  const [stored, setStored] = useState(condition);
  const [refused, setRefused] = useState<readonly Schema<'FieldIssue'>[]>([]);
  return {
    condition,
    refused,
    isChanged: JSON.stringify(condition) !== JSON.stringify(stored),
    change(changed: Condition) {
      setCondition(changed);
      // Issues name filters by index, which may have changed.
      setRefused([]);
    },
    /** @param write rejects with the error of the API */
    async save(write: () => Promise<unknown>): Promise<void> {
      try {
        await write();
        setStored(condition);
      } catch (error) {
        if (error instanceof ApiError) setRefused(error.issues);
        throw error;
      }
    },
  };
}
