import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useDebounced } from '../../ui/use-debounced.ts';
import type { MessageContent } from './content.ts';
import { type PreviewPath, previewOf, previewQuery } from './preview-query.ts';
import { brokenParts, type EmailPreview, type MessagePart, withLastGood } from './shown-preview.ts';
import type { WorkflowSamples } from './workflow-samples.tsx';

export interface Preview {
  email: EmailPreview | undefined;
  /** Parts that can't be rendered as written; shown from the last good preview, or empty. */
  broken: MessagePart[];
  hasGood: boolean;
  sender: Pick<MessageContent, 'from' | 'fromName'>;
  error: unknown;
  retry: () => void;
  /** The preview is older than the input. */
  isBehind: boolean;
}

/** The rendered email, debounced; keeps the previous one while loading. */
export function usePreview(
  path: PreviewPath,
  content: MessageContent,
  readerAddress: string,
  samples?: WorkflowSamples,
): Preview {
  const { from, fromName } = content;
  const wanted = previewOf(content, readerAddress, samples);
  const settled = useDebounced(wanted, 400);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...previewQuery(path, settled),
    placeholderData: keepPreviousData,
  });
  const [good, setGood] = useState<EmailPreview>();
  const broken = data ? brokenParts(data) : [];
  if (data !== undefined && data !== good && broken.length === 0) setGood(data);
  return {
    email: data && withLastGood(data, good),
    broken,
    hasGood: good !== undefined,
    sender: { from, fromName: fromName.trim() },
    error,
    retry: () => void refetch(),
    isBehind: isPlaceholderData || settled !== wanted,
  };
}
