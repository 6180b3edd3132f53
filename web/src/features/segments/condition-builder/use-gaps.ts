import { useState } from 'react';
import type { Schema } from '../../../api/client.ts';
import { type Condition, countFilters } from './condition.ts';
import { findGaps } from './condition-gaps.ts';

/**
 * The missing input of a condition, once the user has tried to save it. A filter added later is reported at the next
 * try.
 *
 * @param path of the condition in the request
 * @param submitCount how often the user has tried to save the form
 */
export function useGaps(condition: Condition, path: string, submitCount: number): Schema<'FieldIssue'>[] {
  const filters = countFilters(condition);
  const [tried, setTried] = useState({ submitCount, filters });
  if (tried.submitCount !== submitCount) setTried({ submitCount, filters });
  if (submitCount === 0) return [];
  const gaps = findGaps(condition, path);
  return filters > tried.filters ? gaps.filter(({ field }) => !field.endsWith('.field')) : gaps;
}
