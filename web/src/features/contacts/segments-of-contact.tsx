import { $api } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { TextLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';

export function SegmentsOfContact({ contactId }: { contactId: string }) {
  const projectId = useProjectId();
  const query = $api.useQuery('get', '/contacts/{id}/segments', { params: { path: { id: contactId } } });
  return (
    <Section title="Segments">
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">In no segment.</p>
          ) : (
            <ul className="flex max-h-80 flex-col gap-1 overflow-y-auto">
              {data.map(({ id, name }) => (
                <li key={id} className="break-words">
                  <TextLink
                    to="/projects/$projectId/segments/$segmentId"
                    params={{ projectId, segmentId: id }}
                  >
                    {name}
                  </TextLink>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
