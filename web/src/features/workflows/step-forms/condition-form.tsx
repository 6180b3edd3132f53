import { useState } from 'react';
import { z } from 'zod';
import { ApiError } from '../../../api/api-error.ts';
import type { Schema } from '../../../api/client.ts';
import { useApiForm } from '../../../ui/form.ts';
import { readCondition } from '../../segments/condition-builder/condition.ts';
import { ConditionBuilder } from '../../segments/condition-builder/condition-builder.tsx';
import { findGaps } from '../../segments/condition-builder/condition-gaps.ts';
import { describeCondition } from '../../segments/condition-builder/describe-condition.ts';
import { useSegmentNames } from '../../segments/use-segment-names.ts';
import { useSaveStep } from '../graph/save-step.ts';
import { nameSchema, StepFormFrame, type StepFormProps } from './step-form.tsx';

const schema = z.object({ name: nameSchema });
const path = 'config';

export function ConditionForm({ workflowId, step, onDone }: StepFormProps) {
  const segmentName = useSegmentNames();
  const [stored] = useState(() => readCondition(step.config));
  const [condition, setCondition] = useState(stored);
  const [refused, setRefused] = useState<readonly Schema<'FieldIssue'>[]>([]);
  const saveStep = useSaveStep(workflowId, step);
  const form = useApiForm({
    schema,
    defaultValues: { name: step.name },
    async save({ name }) {
      if (findGaps(condition, path).length > 0) return;
      try {
        await saveStep(name, { ...condition });
        onDone();
      } catch (error) {
        if (error instanceof ApiError) setRefused(error.issues);
        throw error;
      }
    },
  });
  const change = (changed: typeof condition) => {
    setCondition(changed);
    // They name filters by their place, which may be another one now.
    setRefused([]);
  };
  return (
    <StepFormFrame form={form} isChanged={condition !== stored} onDone={onDone}>
      <section aria-label="Condition" className="flex flex-col gap-2">
        <p className="text-sm text-muted">{describeCondition(condition, segmentName)}</p>
        <ConditionBuilder
          value={condition}
          onChange={change}
          tries={form.form.formState.submitCount}
          refused={refused}
          path={path}
          source="workflow"
        />
      </section>
    </StepFormFrame>
  );
}
