import type { Schema } from '../../api/client.ts';

type Email = Schema<'Email'>;

const labels: Record<Email['source'], string> = {
  TRANSACTIONAL: 'API',
  CAMPAIGN: 'Campaign',
  WORKFLOW: 'Workflow',
  TEST: 'Test',
};

// as: the keys of the literal above.
export const sourceOptions = (Object.keys(labels) as Email['source'][]).map((value) => ({
  value,
  label: labels[value],
}));

/** "Campaign · November news" */
export function sourceText({ source, campaignName, workflowName }: Email): string {
  const name = campaignName ?? workflowName;
  return name === null ? labels[source] : `${labels[source]} · ${name}`;
}
