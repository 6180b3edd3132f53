import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { ConfirmDialog, type DialogState } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { useLeave } from '../../ui/use-leave.ts';
import { DnsRecords, isOptional, isRequired, isWrong, recordLines } from './dns-records.tsx';
import { DomainBadge } from './domain-badge.tsx';
import { domainsQuery } from './queries.ts';

const route = getRouteApi('/signed-in/projects/$projectId/domains/$domainId');

type Domain = Schema<'Domain'>;

export function DomainPage() {
  const projectId = useProjectId();
  const { domainId } = route.useParams();
  const query = useQuery({
    ...domainsQuery(projectId),
    select: ({ data }) => data.find(({ id }) => id === domainId) ?? null,
    // The background check runs every five minutes; an open page polls more often.
    refetchInterval: 30_000,
  });
  return (
    <Page
      title={query.data?.domain ?? 'Domain'}
      badge={query.data && <DomainBadge domain={query.data} />}
      back={{ label: 'Domains', to: '/projects/$projectId/domains', params: { projectId } }}
      actions={query.data && <DomainActions domain={query.data} />}
    >
      <Loaded query={query}>
        {(domain) =>
          domain === null ? (
            <p className="text-muted">This domain is not in the project.</p>
          ) : (
            <Records domain={domain} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Records({ domain: { domain, verified, checkedAt, records } }: { domain: Domain }) {
  const copyAll = async () => {
    await copyText(recordLines(records.filter((record) => !isOptional(record))));
    say('Records copied. Send them to the person who manages the DNS of this domain.');
  };
  const optional = records.filter(isOptional);
  const hasDkim = records.some(({ purpose }) => purpose === 'DKIM');
  return (
    <>
      <p className="max-w-3xl text-muted">
        {verified
          ? `You can send from any address at ${domain}.`
          : `Create these records at the DNS provider of ${domain}, usually the company that sold you the domain. They are checked every five minutes. ${hasDkim ? 'Do it within three days: after that the DKIM records change. ' : ''}A domain that was never verified is removed after seven days. If your DNS provider adds the domain to each name by itself, enter the names without it.`}
      </p>
      {checkedAt !== null && (
        <p className="text-muted">
          Last check: <Time at={checkedAt} />
        </p>
      )}
      <Section
        title="Required"
        description={
          verified
            ? 'If one of these goes missing, sending stops.'
            : 'Sending starts once all of these are found.'
        }
        actions={<Button onPress={() => void copyAll().catch(sayError)}>Copy all</Button>}
      >
        <DnsRecords label="Required DNS records" records={records.filter(isRequired)} />
      </Section>
      <Section title="Recommended" description="Without these, more of your email ends up as spam.">
        <DnsRecords
          label="Recommended DNS records"
          records={records.filter((record) => !isRequired(record) && !isOptional(record))}
        />
      </Section>
      {optional.length > 0 && (
        <Section
          title="Optional: receive email"
          description={`With it, email to any address at ${domain} arrives here, where it can start workflows. Leave it out if ${domain} already has mailboxes elsewhere, such as with Google or Microsoft: they would lose their email.`}
        >
          <DnsRecords label="Optional DNS records" records={optional} />
        </Section>
      )}
    </>
  );
}

function DomainActions({ domain }: { domain: Domain }) {
  const [isRemoving, setIsRemoving] = useState(false);
  const { isChecking, check } = useDomainCheck(domain.id);
  return (
    <>
      <Button look="danger" onPress={() => setIsRemoving(true)}>
        Remove
      </Button>
      <Button look="primary" isPending={isChecking} onPress={() => void check()}>
        Check now
      </Button>
      <RemoveDomainDialog domain={domain} isOpen={isRemoving} onClose={() => setIsRemoving(false)} />
    </>
  );
}

function useDomainCheck(id: string) {
  const [isChecking, setIsChecking] = useState(false);
  const check = async () => {
    setIsChecking(true);
    try {
      const { data } = await api.GET('/domains/{id}/verify', { params: { path: { id } } });
      await refresh('/domains');
      say(
        data?.verified
          ? 'The domain is verified.'
          : data?.records.some((record) => isRequired(record) && isWrong(record))
            ? 'Some records are not as listed. Compare them below.'
            : 'Some records were not found yet. DNS changes can take an hour.',
      );
    } catch (error) {
      sayError(error);
    }
    setIsChecking(false);
  };
  return { isChecking, check };
}

function RemoveDomainDialog({ domain: { id, domain }, ...state }: DialogState & { domain: Domain }) {
  const projectId = useProjectId();
  const leave = useLeave();
  const remove = async () => {
    await api.DELETE('/domains/{id}', { params: { path: { id } } });
    await leave({ to: '/projects/$projectId/domains', params: { projectId }, search: {} });
    await refresh('/domains');
  };
  return (
    <ConfirmDialog title="Remove the domain" action="Remove" {...state} onConfirm={remove}>
      You can no longer send from {domain}. To use it again, add it and its DNS records again.
    </ConfirmDialog>
  );
}
