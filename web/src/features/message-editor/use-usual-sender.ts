import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { domainsQuery } from '../domains/queries.ts';
import type { MessageContent } from './content.ts';

export type Sender = Pick<Schema<'ListedCampaign'>, 'from' | 'fromName' | 'replyTo'>;

const names = ['from', 'fromName', 'replyTo'] as const;

/** Fills in the sender once, unless the user was faster or its domain is no longer verified. */
export function useUsualSender(form: UseFormReturn<MessageContent>, usual: Sender | undefined): void {
  const { data: domains } = useQuery(domainsQuery(useProjectId()));
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current || usual === undefined || domains === undefined) return;
    isDone.current = true;
    const isVerified = domains.data.some(
      ({ domain, status }) => status === 'verified' && domain === usual.from.split('@')[1],
    );
    if (!isVerified || form.getValues(names).some((value) => value !== '')) return;
    for (const name of names) form.resetField(name, { defaultValue: usual[name] ?? '' });
  }, [form, usual, domains]);
}
