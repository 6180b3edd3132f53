import { keepPreviousData } from '@tanstack/react-query';
import { $api, type Schema } from '../../api/client.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { framedHtml } from '../../ui/framed-html.ts';
import { SandboxedFrame } from '../../ui/sandboxed-frame.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';

interface FooterPreviewProps {
  footerAddress: string;
  language: Schema<'Project'>['language'];
}

/** The default footer of a marketing email with these settings. */
export function FooterPreview({ footerAddress, language }: FooterPreviewProps) {
  const address = useDebounced(footerAddress.trim(), 400);
  const { data, error, isFetching, refetch } = $api.useQuery(
    'post',
    '/templates/preview',
    {
      body: {
        subject: '',
        body: '',
        type: 'MARKETING',
        brand: { footerAddress: address.length > 300 ? null : address || null, language },
      },
    },
    { placeholderData: keepPreviousData, staleTime: 30_000 },
  );
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="text-sm font-medium">Footer of marketing email</figcaption>
      <ErrorNote error={error} onRetry={() => void refetch()} isRetrying={isFetching} />
      {!error && (
        <SandboxedFrame
          title="Footer of marketing email"
          html={framedHtml(data?.html ?? '', { isDark: false })}
          className="h-48 w-full rounded-md border border-line bg-white scheme-light"
        />
      )}
    </figure>
  );
}
