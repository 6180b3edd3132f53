import { $api } from '../../api/client.ts';
import { ComboBox } from '../../ui/select.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useDrawn } from '../../ui/use-drawn.ts';

interface ContactPickerProps {
  value: string;
  onChange: (address: string) => void;
}

/** Accepts any address; suggests contacts whose address contains the typed text. */
export function ContactPicker({ value, onChange }: ContactPickerProps) {
  const search = useDebounced(value.trim());
  const isDrawn = useDrawn();
  const { data } = $api.useQuery(
    'get',
    '/contacts',
    { params: { query: { limit: 8, ...(search !== '' && { search }) } } },
    { enabled: isDrawn },
  );
  return (
    <ComboBox
      label="Preview as"
      isLabelHidden
      placeholder="Preview as a contact"
      className="min-w-40 flex-1"
      options={(data?.data ?? []).map(({ email }) => ({ value: email, label: email }))}
      value={value}
      onChange={onChange}
    />
  );
}
