import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import type { MessageContent } from './content.ts';
import { brokenParts, type EmailPreview, type MessagePart, withLastGood } from './shown-preview.ts';
import type { WorkflowSamples } from './workflow-samples.tsx';

export interface Preview {
  email: EmailPreview | undefined;
  /** The parts of the email that are shown as they were before, or not at all: as written they can't be rendered. */
  broken: MessagePart[];
  hasGood: boolean;
  sender: string;
  error: unknown;
  /** The preview is older than the input. */
  isBehind: boolean;
}

const isAddress = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

/** The rendered email, debounced; keeps the previous one while loading. */
export function usePreview(
  content: MessageContent,
  readerAddress: string,
  samples: WorkflowSamples = {},
): Preview {
  const { subject, body, type, from, fromName } = content;
  const wanted = JSON.stringify({
    subject,
    body,
    type,
    ...samples,
    ...(isAddress(from) && { from }),
    ...(isAddress(readerAddress) && { email: readerAddress }),
  });
  const settled = useDebounced(wanted, 400);
  const { data, error, isPlaceholderData } = $api.useQuery(
    'post',
    '/templates/preview',
    { body: JSON.parse(settled) },
    { placeholderData: keepPreviousData, staleTime: 30_000 },
  );
  const [good, setGood] = useState<EmailPreview>();
  const broken = data ? brokenParts(data) : [];
  if (data !== undefined && data !== good && broken.length === 0) setGood(data);
  return {
    email: data && withLastGood(data, good),
    broken,
    hasGood: good !== undefined,
    sender: fromName.trim() === '' ? from : `${fromName.trim()} <${from}>`,
    error,
    isBehind: isPlaceholderData || settled !== wanted,
  };
}
