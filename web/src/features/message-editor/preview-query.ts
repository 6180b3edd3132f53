import { $api } from '../../api/client.ts';
import type { MessageContent } from './content.ts';
import type { WorkflowSamples } from './workflow-samples.tsx';

const isAddress = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

/** As JSON, so that equal previews are equal. An address that is not complete is left out. */
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

/** @param preview by {@link previewOf} */
export const previewQuery = (path: PreviewPath, preview: string) =>
  $api.queryOptions('post', path, { body: JSON.parse(preview) }, { staleTime: 30_000 });
