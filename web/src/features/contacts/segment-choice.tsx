import { $api, api } from '../../api/client.ts';
import { SegmentSelect } from '../../shell/segment-select.tsx';
import { TextField } from '../../ui/field.tsx';

/** A static segment by its id, or the name of a new one. */
export interface ChosenSegment {
  id: string;
  name: string;
}

export const noSegment: ChosenSegment = { id: '', name: '' };

export const isNone = ({ id, name }: ChosenSegment): boolean => id === '' && name.trim() === '';

/** The id of the segment; creates it if it is new. */
export async function idOfChosen({ id, name }: ChosenSegment): Promise<string> {
  if (id !== '') return id;
  const { data } = await api.POST('/segments', { body: { name: name.trim(), type: 'STATIC' } });
  if (data === undefined) throw new Error('The server did not create the segment.');
  return data.id;
}

interface SegmentChoiceProps {
  value: ChosenSegment;
  onChange: (segment: ChosenSegment) => void;
}

/** Chooses a static segment, or names a new one. */
export function SegmentChoice({ value, onChange }: SegmentChoiceProps) {
  const query = $api.useQuery('get', '/segments');
  const segments = query.data?.data.filter(({ type }) => type === 'STATIC');
  const hasNone = segments?.length === 0;
  return (
    <div className="flex flex-col gap-4">
      {!hasNone && (
        <SegmentSelect
          segments={segments ?? []}
          query={query}
          value={value.id}
          onChange={(id) => onChange({ id, name: '' })}
        />
      )}
      <TextField
        label={hasNone ? 'Name of the new segment' : 'Or the name of a new segment'}
        className="max-w-md"
        value={value.name}
        onChange={(name) => onChange({ id: '', name })}
        maxLength={100}
        autoComplete="off"
      />
    </div>
  );
}
