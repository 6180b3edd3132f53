import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { byCursor } from '../../api/by-cursor.ts';
import { $api, api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Pages } from '../../ui/list.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toast.tsx';
import { sizeText } from './image-size.ts';
import { UploadArea } from './upload-area.tsx';

export function ImageListPage() {
  const query = $api.useInfiniteQuery('get', '/uploads', { params: { query: { limit: 60 } } }, byCursor);
  const [doomed, setDoomed] = useState<Schema<'Image'> | null>(null);
  const page = query.data?.pages.at(-1);
  return (
    <Page title="Images" description={page ? <Usage used={page.used} quota={page.quota} /> : ' '}>
      <UploadArea look="primary" />
      <Pages
        query={query}
        rowsOf={({ data }) => data}
        empty={
          <EmptyState title="No images yet">
            Upload a logo or a photo, then insert it into an email or copy its address.
          </EmptyState>
        }
      >
        {(images) => (
          <ul aria-label="Images" className="grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-5">
            {images.map((image) => (
              <ImageTile key={image.key} image={image} onDelete={() => setDoomed(image)} />
            ))}
          </ul>
        )}
      </Pages>
      <ConfirmDialog
        title="Delete this image?"
        action="Delete image"
        isOpen={doomed !== null}
        onClose={() => setDoomed(null)}
        onConfirm={async () => {
          const [projectId = '', file = ''] = doomed?.key.split('/') ?? [];
          await api.DELETE('/uploads/{projectId}/{file}', { params: { path: { projectId, file } } });
          await refresh('/uploads');
          say('Image deleted');
        }}
      >
        Emails that use it, including sent ones, then show a gap. This can’t be undone.
      </ConfirmDialog>
    </Page>
  );
}

type Amount = { files: number; bytes: number };

function Usage({ used, quota }: { used: Amount; quota: Amount }) {
  const limit = (value: number, text: string) => (value > 0 ? ` of ${text}` : '');
  return (
    <span data-numeric>
      {quantity(used.files, 'image')}
      {limit(quota.files, count(quota.files))}, {sizeText(used.bytes)}
      {limit(quota.bytes, sizeText(quota.bytes))}
    </span>
  );
}

function ImageTile({ image, onDelete }: { image: Schema<'Image'>; onDelete: () => void }) {
  const { url, contentType, size, createdAt } = image;
  return (
    <li className="overflow-hidden rounded-lg border border-line">
      <a href={url} target="_blank" rel="noreferrer" className="block bg-sunken">
        <img
          src={url}
          alt={`Uploaded ${new Date(createdAt).toLocaleString()}`}
          loading="lazy"
          className="aspect-square w-full object-contain p-2"
        />
      </a>
      <div className="flex items-center border-t border-line py-1 pr-1 pl-2">
        <p className="min-w-0 flex-1 text-xs text-muted">
          <span className="block truncate">
            {contentType.replace('image/', '').toUpperCase()}, {sizeText(size)}
          </span>
          <Time at={createdAt} />
        </p>
        <CopyButton text={url} label="Copy address" />
        <IconButton label="Delete image" onPress={onDelete}>
          <Trash2 className="size-4" />
        </IconButton>
      </div>
    </li>
  );
}
