import { useState } from 'react';
import { isTemporary } from '../../api/api-error.ts';
import { projectHeaders } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { uploadFaultOf, uploadImage } from './upload-image.ts';

export interface RunningUpload {
  id: number;
  name: string;
  /** From 0 to 1. */
  share: number;
  /** Why the upload failed. */
  fault: string | null;
  /** Null if it would fail again. */
  retry: (() => void) | null;
}

let lastId = 0;

/**
 * Uploads files one after another; failed ones stay in the list until they are dismissed or tried again.
 *
 * @param onUploaded gets the address of each image
 */
export function useUploads(onUploaded?: (url: string) => void) {
  const [uploads, setUploads] = useState<RunningUpload[]>([]);
  const change = (id: number, changes: Partial<RunningUpload>) =>
    setUploads((all) => all.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)));
  const dismiss = (id: number) => setUploads((all) => all.filter((upload) => upload.id !== id));
  async function start(files: readonly File[]): Promise<void> {
    // Captured at the start: the user may switch projects before the last upload.
    const headers = projectHeaders();
    const upload = async (id: number, file: File): Promise<void> => {
      change(id, { share: 0, fault: null, retry: null });
      try {
        const url = await uploadImage(file, headers, (share) => change(id, { share }));
        dismiss(id);
        await refresh('/uploads');
        onUploaded?.(url);
      } catch (error) {
        const retry = isTemporary(error) ? () => void upload(id, file) : null;
        change(id, { fault: uploadFaultOf(error), retry });
      }
    };
    const waiting = files.map((file) => {
      lastId += 1;
      return { file, id: lastId };
    });
    setUploads((all) => [
      ...all,
      ...waiting.map(({ id, file }) => ({ id, name: file.name, share: 0, fault: null, retry: null })),
    ]);
    for (const { id, file } of waiting) await upload(id, file);
  }
  return { uploads, start, dismiss };
}
