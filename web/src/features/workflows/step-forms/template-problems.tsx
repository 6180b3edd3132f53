import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../../api/client.ts';
import { contentOf } from '../../message-editor/content.ts';
import { previewOf, previewQuery } from '../../message-editor/preview-query.ts';
import { ProblemList } from '../../message-editor/problem-list.tsx';
import { templateQuery } from '../../templates/queries.ts';

/** What keeps a template from being sent by a workflow, and fields that a workflow can't fill. */
export function TemplateProblems({ templateId }: { templateId: string }) {
  const { data } = useQuery(templateQuery(templateId));
  return data && <Problems template={data} />;
}

/** Makes the API check the email as one of a workflow. */
const anySamples = { event: {}, context: {} };

function Problems({ template }: { template: Schema<'Template'> }) {
  const { data } = useQuery(
    previewQuery('/templates/preview', previewOf(contentOf(template), '', anySamples)),
  );
  const problems = (data?.problems ?? []).filter(
    // Others may only be due to the missing samples.
    ({ code, severity }) => severity === 'error' || code === 'unknown_field',
  );
  return problems.length > 0 && <ProblemList problems={problems} />;
}
