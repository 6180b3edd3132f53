import { DOMParser } from '@tiptap/pm/model';
import type { Editor, EditorEvents } from '@tiptap/react';
import { projectHeaders } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { say, sayError } from '../../../ui/toast.tsx';
import { imageMarkup } from '../../images/image-markup.ts';
import { uploadFaultOf, uploadImage } from '../../images/upload-image.ts';
import { parseContent } from './parse-content.ts';

/** A position in the text that stays where it is while text before it changes. */
function followPlace(editor: Editor, at: number) {
  let { doc } = editor.state;
  let place: number | null = at;
  const follow = ({ transaction, appendedTransactions }: EditorEvents['transaction']) => {
    for (const { before, mapping, doc: after } of [transaction, ...appendedTransactions]) {
      place = place === null || before !== doc ? null : mapping.map(place);
      doc = after;
    }
  };
  editor.on('transaction', follow);
  return {
    /** Null if another email is shown meanwhile. */
    current: () => (editor.isDestroyed || editor.state.doc !== doc ? null : place),
    end: () => editor.off('transaction', follow),
  };
}

/** Stores the files one after another, and shows each at the position once it is stored. */
export async function insertImages(editor: Editor, files: readonly File[], at: number): Promise<void> {
  const headers = projectHeaders();
  const place = followPlace(editor, at);
  say(files.length === 1 ? 'Uploading the image …' : `Uploading ${files.length} images …`);
  for (const file of files) {
    try {
      const url = await uploadImage(file, headers, () => {});
      const position = place.current();
      if (position === null) say('The image is uploaded. Show it with “Insert image”.');
      else {
        const slice = DOMParser.fromSchema(editor.schema).parseSlice(parseContent(imageMarkup(url, '')));
        editor.view.dispatch(editor.state.tr.replaceRange(position, position, slice));
      }
    } catch (error) {
      sayError(new Error(uploadFaultOf(error), { cause: error }));
    }
  }
  place.end();
  await refresh('/uploads');
}
