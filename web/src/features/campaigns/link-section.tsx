import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client.ts';
import { OutsideLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { count, share } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { linksQuery, reportMs } from './queries.ts';

/** Clicked links, by the number of recipients who clicked. */
export function LinkSection({ campaign }: { campaign: Schema<'Campaign'> }) {
  const { id, sentCount } = campaign;
  const query = useQuery({ ...linksQuery(id), refetchInterval: reportMs });
  return (
    <Section title="Links">
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">Nobody has followed a link yet.</p>
          ) : (
            <Table
              label="Links"
              rows={data}
              idOf={({ link }) => link}
              columns={[
                {
                  header: 'Link',
                  className: 'max-w-96',
                  cell: ({ link }) => <LinkName link={link} />,
                },
                { header: 'People', align: 'right', cell: ({ uniqueClicks }) => count(uniqueClicks) },
                {
                  header: 'Share of sent',
                  align: 'right',
                  isSecondary: true,
                  cell: ({ uniqueClicks }) => share(uniqueClicks, sentCount),
                },
                { header: 'Clicks', align: 'right', cell: ({ clicks }) => count(clicks) },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function LinkName({ link }: { link: string }) {
  if (!/^https?:\/\//i.test(link)) return <code className="font-mono text-xs">{link}</code>;
  return (
    <OutsideLink href={link} className="block truncate">
      {link}
    </OutsideLink>
  );
}
