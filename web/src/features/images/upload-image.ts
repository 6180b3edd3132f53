import { ApiError, messageOf } from '../../api/api-error.ts';
import { apiUrl, currentSession, refusalOf } from '../../api/client.ts';
import type { operations } from '../../api/schema.d.ts';

type Stored = operations['postUploadsImage']['responses'][201]['content']['application/json'];

const maxImageBytes = 10 * 1024 * 1024;

/**
 * Uploads one file. Uses XMLHttpRequest, because `fetch` does not report upload progress.
 *
 * @param projectHeaders of the project that gets the file
 * @param onProgress gets a share from 0 to 1
 * @returns the address of the stored image
 */
export function uploadImage(
  file: File,
  projectHeaders: Record<string, string>,
  onProgress: (share: number) => void,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  if (file.size > maxImageBytes) {
    const megabytes = (file.size / 1024 / 1024).toFixed(1);
    reject(new ApiError(413, null, { message: `The file is ${megabytes} MB; the limit is 10 MB.` }));
    return promise;
  }
  const session = currentSession();
  const request = new XMLHttpRequest();
  request.open('POST', new URL('uploads/image', apiUrl));
  for (const [name, value] of Object.entries(projectHeaders)) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
  request.onload = async () => {
    if (request.status === 201) {
      const { url }: Stored = JSON.parse(request.responseText);
      return resolve(url);
    }
    const requestId = request.getResponseHeader('X-Request-Id');
    const headers = new Headers(requestId === null ? {} : { 'X-Request-Id': requestId });
    reject(await refusalOf(new Response(request.responseText, { status: request.status, headers }), session));
  };
  request.onerror = () => reject(new TypeError('The connection was lost'));
  const form = new FormData();
  form.append('image', file);
  request.send(form);
  return promise;
}

/** Why an upload was refused, in one line. */
export function uploadFaultOf(error: unknown): string {
  const issues = error instanceof ApiError ? error.issues : [];
  return issues.length === 0 ? messageOf(error) : issues.map(({ message }) => `${message}.`).join(' ');
}
