import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, RowLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/list.tsx';
import { ListSearch } from '../../ui/list-search.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AddDomainDialog } from './add-domain-dialog.tsx';
import { DomainBadge } from './domain-badge.tsx';
import { domainsQuery } from './queries.ts';

const route = getRouteApi('/signed-in/projects/$projectId/domains');

export function DomainListPage() {
  const projectId = useProjectId();
  const { search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [isAdding, setIsAdding] = useState(false);
  const query = useQuery(domainsQuery(projectId));
  return (
    <Page
      title="Domains"
      description="You can send only from domains that you have verified in DNS."
      actions={
        <Button look="primary" onPress={() => setIsAdding(true)}>
          Add a domain
        </Button>
      }
      toolbar={
        <ListSearch
          label="Search domains"
          value={search}
          onChange={(text) => void navigate({ search: { search: text }, replace: true })}
        />
      }
    >
      <Loaded query={query}>
        {({ data }) => {
          if (data.length === 0) {
            return (
              <EmptyState title="No domain yet">
                Add the domain that you send from, and copy the records that it needs to your DNS provider.
              </EmptyState>
            );
          }
          const found = data.filter(({ domain }) => domain.includes(inAscii(search.trim())));
          if (found.length === 0) return <EmptyState title="Nothing matches">Change the search.</EmptyState>;
          return <DomainTable domains={found} />;
        }}
      </Loaded>
      <AddDomainDialog isOpen={isAdding} onClose={() => setIsAdding(false)} />
    </Page>
  );
}

/** As domains are stored: `münchen` as `xn--mnchen-3ya`. */
function inAscii(text: string): string {
  const url = `http://${text}`;
  const isInternational = /[^!-~]/.test(text) && URL.canParse(url);
  return isInternational ? new URL(url).hostname : text.toLowerCase();
}

function DomainTable({ domains }: { domains: Schema<'Domain'>[] }) {
  const projectId = useProjectId();
  return (
    <Table
      label="Domains"
      rows={domains}
      idOf={({ id }) => id}
      columns={[
        {
          header: 'Domain',
          isBreakable: true,
          cell: ({ id, domain }) => (
            <RowLink to="/projects/$projectId/domains/$domainId" params={{ projectId, domainId: id }}>
              {domain}
            </RowLink>
          ),
        },
        { header: 'Status', cell: (domain) => <DomainBadge domain={domain} /> },
        {
          header: 'Records found',
          align: 'right',
          cell: ({ records }) => `${records.filter(({ found }) => found).length} of ${records.length}`,
        },
        {
          header: 'Added',
          align: 'right',
          isSecondary: true,
          cell: ({ createdAt }) => <Time at={createdAt} />,
        },
      ]}
    />
  );
}
