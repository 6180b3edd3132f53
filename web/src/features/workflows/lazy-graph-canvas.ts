import { lazyComponent } from '../../ui/lazy-component.ts';

/** Loads beside the data of its page: what is there in time does not suspend, which React reveals up to 300 ms late. */
export const GraphCanvas = lazyComponent(() => import('./graph-canvas.tsx'));
void GraphCanvas.preload?.();
