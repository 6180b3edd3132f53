import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { Schema } from '../../api/client.ts';
import { useProject } from '../../shell/session.ts';
import { domainsQuery } from '../domains/queries.ts';
import type { MessageContent } from './content.ts';

export type Sender = Pick<Schema<'ListedCampaign'>, 'from' | 'fromName' | 'replyTo'>;

const names = ['from', 'fromName', 'replyTo'] as const;

/**
 * Fills in the sender once, unless the user was faster: the usual one, or one of a verified domain.
 *
 * @param usual null if there is none yet, undefined to fill in nothing
 * @returns a ref for the parent of the fields; somebody who is in one of them is about to type
 */
export function useUsualSender(
  form: UseFormReturn<MessageContent>,
  usual: Sender | null | undefined,
): RefObject<HTMLDivElement | null> {
  const fields = useRef<HTMLDivElement>(null);
  const { id, name: projectName } = useProject();
  const { data: domains } = useQuery(domainsQuery(id));
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current || usual === undefined || domains === undefined) return;
    const verified = domains.data.filter(({ status }) => status === 'verified').map(({ domain }) => domain);
    if (verified.length === 0) return;
    isDone.current = true;
    if (fields.current?.contains(document.activeElement)) return;
    if (form.getValues(names).some((value) => value !== '')) return;
    const isVerified = usual !== null && verified.some((domain) => usual.from.endsWith(`@${domain}`));
    const sender = isVerified
      ? usual
      : { from: `hello@${verified[0]}`, fromName: projectName, replyTo: null };
    for (const name of names) form.resetField(name, { defaultValue: sender[name] ?? '' });
  }, [form, usual, domains, projectName]);
  return fields;
}
