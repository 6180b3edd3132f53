import { Upload, X } from 'lucide-react';
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import { Button, IconButton } from '../../ui/button.tsx';
import { type RunningUpload, useUploads } from './use-uploads.ts';

const accepted = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

interface UploadAreaProps {
  look?: 'primary' | 'secondary';
  /** Gets the address of each image. */
  onUploaded?: (url: string) => void;
}

/** Uploads dropped or chosen files and shows their progress. */
export function UploadArea({ look = 'secondary', onUploaded }: UploadAreaProps) {
  const { uploads, start, dismiss } = useUploads(onUploaded);
  return (
    <div className="flex flex-col gap-2">
      <DropZone
        aria-label="Drop images here"
        onDrop={async ({ items }) => {
          const files = items.filter((item) => item.kind === 'file');
          await start(await Promise.all(files.map((item) => item.getFile())));
        }}
        className="flex flex-wrap items-center justify-center gap-3 rounded-lg border border-dashed border-line-strong px-4 py-5 text-muted data-[drop-target]:border-accent data-[drop-target]:bg-accent-soft"
      >
        <span>Drop images here, or</span>
        <FileTrigger
          allowsMultiple
          acceptedFileTypes={accepted}
          onSelect={(files) => void start([...(files ?? [])])}
        >
          <Button look={look}>
            <Upload aria-hidden className="size-4" />
            Upload images
          </Button>
        </FileTrigger>
        <span className="basis-full text-center text-xs">JPEG, PNG, GIF or WebP, at most 10 MB each</span>
      </DropZone>
      {uploads.length > 0 && (
        <ul aria-label="Uploads" className="flex flex-col gap-1">
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} onDismiss={() => dismiss(upload.id)} />
          ))}
        </ul>
      )}
    </div>
  );
}

function UploadRow({ upload, onDismiss }: { upload: RunningUpload; onDismiss: () => void }) {
  const { name, share, fault, retry } = upload;
  if (fault !== null) {
    return (
      <li
        role="alert"
        className="flex items-center gap-2 rounded-md bg-bad-soft py-1 pr-1 pl-3 text-sm text-bad"
      >
        <span className="min-w-0 flex-1">
          <span className="font-medium">{name}</span> was not uploaded. {fault}
        </span>
        {retry && <Button onPress={retry}>Try again</Button>}
        <IconButton label={`Dismiss ${name}`} onPress={onDismiss}>
          <X className="size-4" />
        </IconButton>
      </li>
    );
  }
  return (
    <li className="flex items-center gap-3 px-3 py-1 text-sm">
      <span className="w-48 truncate">{name}</span>
      <ProgressBar
        aria-label={`Upload of ${name}`}
        value={share * 100}
        className="h-1.5 flex-1 overflow-hidden rounded-full bg-hover"
      >
        {({ percentage = 0 }) => <div className="h-full bg-accent" style={{ width: `${percentage}%` }} />}
      </ProgressBar>
    </li>
  );
}
