import { z } from 'zod';
import { readCondition } from '../../segments/condition-builder/condition.ts';
import { ConditionField, completeCondition } from '../../segments/condition-builder/condition-field.tsx';
import { describeCondition } from '../../segments/condition-builder/describe-condition.ts';
import { useConditionNames } from '../../segments/condition-builder/use-condition-names.ts';
import { nameSchema, StepFormFrame, type StepFormProps, useStepForm } from './step-form.tsx';

const schema = z.object({ name: nameSchema, config: completeCondition });

export function ConditionForm(props: StepFormProps) {
  const form = useStepForm<z.infer<typeof schema>>({
    ...props,
    schema,
    defaultValues: { name: props.step.name, config: readCondition(props.step.config) },
    configOf: ({ config }) => ({ ...config }),
  });
  const { control, watch } = form.form;
  const condition = watch('config');
  const words = describeCondition(condition, useConditionNames([condition]));
  return (
    <StepFormFrame form={form} onDone={props.onDone}>
      <section aria-label="Condition" className="flex flex-col gap-2">
        {words !== '…' && <p className="text-sm text-muted">{words}</p>}
        <ConditionField
          control={control}
          name="config"
          failure={form.failure}
          refused={[]}
          source="workflow"
        />
      </section>
    </StepFormFrame>
  );
}
