import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Schema } from '../../api/client.ts';
import { useConditionNames } from '../segments/condition-builder/use-condition-names.ts';
import { templateQuery } from '../templates/queries.ts';
import type { Step } from './graph/graph.ts';
import type { Names } from './graph/step-words.ts';
import { templateNamesQuery } from './queries.ts';

/** Names of the records that these steps refer to, for their descriptions. */
export function useNames(steps: readonly Step[]): Names {
  const listed = useQuery(templateNamesQuery).data?.data;
  const older = useQueries({
    queries: olderTemplates(steps, listed).map((id) => ({ ...templateQuery(id), staleTime: 60_000 })),
    combine: namesOf,
  });
  const ofCondition = useConditionNames(steps.map(({ config }) => config));
  return useMemo(() => {
    const templateNames = new Map([...older, ...(listed ?? []).map(({ id, name }) => [id, name] as const)]);
    return { template: (id) => templateNames.get(id), ofCondition };
  }, [listed, older, ofCondition]);
}

/** Templates that are not among the newest; none until the newest are loaded. */
function olderTemplates(steps: readonly Step[], listed: readonly { id: string }[] | undefined): string[] {
  if (listed === undefined) return [];
  const known = new Set(listed.map(({ id }) => id));
  const used = new Set(steps.flatMap(({ templateId }) => templateId ?? []));
  return [...used].filter((id) => !known.has(id));
}

const namesOf = (answers: { data: Schema<'Template'> | undefined }[]) =>
  answers.flatMap(({ data }) => (data ? [[data.id, data.name] as const] : []));
