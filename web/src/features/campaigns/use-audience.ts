import { keepPreviousData } from '@tanstack/react-query';
import { $api } from '../../api/client.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import { type Audience, audienceBody, isComplete } from './campaign-values.ts';

/** Counts recipients and excluded contacts, debounced. */
export function useAudience(audience: Audience) {
  const wanted = JSON.stringify(audienceBody(audience));
  const settled = useDebounced(wanted);
  const isWhole = isComplete(audience);
  const query = $api.useQuery(
    'post',
    '/campaigns/audience',
    { body: JSON.parse(settled) },
    { enabled: isWhole && settled === wanted, placeholderData: keepPreviousData },
  );
  const isBehind = settled !== wanted || query.isPlaceholderData;
  return { ...query, isWhole, counts: isWhole && !isBehind ? query.data : undefined };
}
