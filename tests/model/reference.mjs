// The trained model of chapter 9 in TensorFlow.js: pieces, maps, embedding.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { loadGraphModel } from '@tensorflow/tfjs-converter';

const { Tokenizer } = createRequire(import.meta.url)('@tensorflow-models/universal-sentence-encoder/dist/tokenizer');
const MAPS = [0, 1].map((layer) =>
  `module_apply_default/Encoder_en/KonaTransformer/Encode/TransformerStack/Layer_${layer}/TransformerLayer/`
  + 'MultiheadAttention/DotProductAttention/BaseDotProductAttention/Softmax');

/** Reads the model's folder; the result reads a text as {ids, maps, embedding}. */
export async function loadReference(folder) {
  await tf.setBackend('cpu');
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'model.json'), 'utf8'));
  const [{ paths, weights }] = manifest.weightsManifest;
  const bytes = Buffer.concat(paths.map((file) => fs.readFileSync(path.join(folder, file))));
  const model = await loadGraphModel({
    load: async () => ({
      modelTopology: manifest.modelTopology,
      weightSpecs: weights,
      weightData: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    }),
  });
  const tokenizer = new Tokenizer(JSON.parse(fs.readFileSync(path.join(folder, 'vocab.json'), 'utf8')));
  return { model, tokenizer, read: (text) => read(model, tokenizer, text) };
}

async function read(model, tokenizer, text) {
  const ids = tokenizer.encode(text);
  const indices = tf.tensor2d(ids.map((_, i) => [0, i]), [ids.length, 2], 'int32');
  const values = tf.tensor1d(ids, 'int32');
  const [embedding, ...layers] = await model.executeAsync({ indices, values }, [...model.outputNodes, ...MAPS]);
  const maps = [];
  for (const layer of layers) {
    const tokens = layer.shape.at(-1);   // the rows of all heads follow each other
    const numbers = layer.dataSync();
    for (let h = 0; h * tokens * tokens < numbers.length; h += 1) {
      maps.push([...numbers.slice(h * tokens * tokens, (h + 1) * tokens * tokens)]);
    }
  }
  const result = { ids, maps, embedding: [...embedding.dataSync()] };
  tf.dispose([indices, values, embedding, ...layers]);
  return result;
}
