import { useRef } from 'react';
import { z } from 'zod';
import { acceptValues, useApiForm } from '../../../ui/form.ts';
import { useIsShown } from '../../../ui/use-leave.ts';
import { ConditionBuilder } from '../../segments/condition-builder/condition-builder.tsx';
import { findGaps } from '../../segments/condition-builder/condition-gaps.ts';
import { describeCondition } from '../../segments/condition-builder/describe-condition.ts';
import { useEditedCondition } from '../../segments/condition-builder/use-edited-condition.ts';
import { useSegmentNames } from '../../segments/use-segment-names.ts';
import { useSaveStep } from '../graph/save-step.ts';
import { nameSchema, StepFormFrame, type StepFormProps } from './step-form.tsx';

const schema = z.object({ name: nameSchema });
const path = 'config';

export function ConditionForm({ workflowId, step, onDone }: StepFormProps) {
  const segmentName = useSegmentNames();
  const { condition, change, refused, isChanged, save } = useEditedCondition(step.config);
  const saveStep = useSaveStep(workflowId, step);
  const isShown = useIsShown();
  const latest = useRef(condition);
  latest.current = condition;
  const form = useApiForm({
    schema,
    defaultValues: { name: step.name },
    async save({ name }, { getValues }) {
      if (findGaps(condition, path).length > 0) return;
      const entered = getValues();
      await save(() => saveStep(name, { ...condition }));
      if (!isShown()) return;
      if (latest.current === condition && getValues('name') === entered.name) onDone();
      else acceptValues(form.form, entered, { name });
    },
  });
  return (
    <StepFormFrame form={form} isChanged={isChanged} onDone={onDone}>
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
