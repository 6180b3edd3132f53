import { useState } from 'react';
import { projectHeaders } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { uploadFaultOf, uploadImage } from './upload-image.ts';

export interface RunningUpload {
  id: number;
  name: string;
  /** From 0 to 1. */
  share: number;
  /** Why the upload was refused. */
  fault: string | null;
}

let lastId = 0;

/**
 * Uploads files one after another; refused ones stay in the list until they are dismissed.
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
    const waiting = files.map((file) => {
      lastId += 1;
      return { file, id: lastId };
    });
    setUploads((all) => [
      ...all,
      ...waiting.map(({ id, file }) => ({ id, name: file.name, share: 0, fault: null })),
    ]);
    for (const { id, file } of waiting) {
      try {
        const url = await uploadImage(file, headers, (share) => change(id, { share }));
        dismiss(id);
        await refresh('/uploads');
        onUploaded?.(url);
      } catch (error) {
        change(id, { fault: uploadFaultOf(error) });
      }
    }
  }
  return { uploads, start, dismiss };
}
