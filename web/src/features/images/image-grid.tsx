import { GridList, GridListItem } from 'react-aria-components/GridList';
import { byCursor } from '../../api/by-cursor.ts';
import { $api } from '../../api/client.ts';
import { Pages } from '../../ui/list.tsx';
import { UploadArea } from './upload-area.tsx';

interface ImageGridProps {
  url: string | null;
  onChoose: (url: string | null) => void;
}

/** The project's images, to choose one or upload more; the last one uploaded is chosen. */
export function ImageGrid({ url, onChoose }: ImageGridProps) {
  const query = $api.useInfiniteQuery('get', '/uploads', { params: { query: { limit: 60 } } }, byCursor);
  return (
    <>
      <UploadArea onUploaded={onChoose} />
      <Pages
        query={query}
        rowsOf={({ data }) => data}
        empty={<p className="text-muted">No images yet. Upload the first one.</p>}
      >
        {(images) => (
          <GridList
            aria-label="Images"
            layout="grid"
            selectionMode="single"
            selectionBehavior="replace"
            items={images}
            selectedKeys={url === null ? [] : [url]}
            onSelectionChange={(keys) => onChoose(keys === 'all' ? null : String([...keys][0] ?? '') || null)}
            className="grid max-h-72 grid-cols-3 gap-2 overflow-y-auto p-1 outline-none sm:grid-cols-6"
          >
            {(image) => (
              <GridListItem
                id={image.url}
                textValue={`Image of ${new Date(image.createdAt).toLocaleString()}`}
                className="cursor-pointer rounded-md border border-line bg-sunken p-1 data-[selected]:border-accent data-[selected]:ring-2 data-[selected]:ring-accent"
              >
                <img src={image.url} alt="" loading="lazy" className="aspect-square w-full object-contain" />
              </GridListItem>
            )}
          </GridList>
        )}
      </Pages>
    </>
  );
}
