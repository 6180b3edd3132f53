import { $api } from '../../api/client.ts';
import { isAddress } from '../../ui/address-schema.ts';
import type { MessageContent } from './content.ts';
import type { WorkflowSamples } from './workflow-samples.tsx';

/** The preview request as JSON, so that equal inputs share a query key. An incomplete address is left out. */
export function previewOf(
  content: MessageContent,
  readerAddress = '',
  samples: WorkflowSamples = {},
): string {
  const { subject, body, type, from } = content;
  return JSON.stringify({
    subject,
    body,
    type,
    ...samples,
    ...(isAddress(from) && { from }),
    ...(isAddress(readerAddress) && { email: readerAddress }),
  });
}

export type PreviewPath = '/templates/preview' | '/campaigns/preview';

/** @param preview from {@link previewOf} */
export const previewQuery = (path: PreviewPath, preview: string) =>
  $api.queryOptions('post', path, { body: JSON.parse(preview) }, { staleTime: 30_000 });
