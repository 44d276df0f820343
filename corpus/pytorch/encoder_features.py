"""Collect sentence features from a tiny encoder made from a configuration."""
import torch
from transformers import BertConfig, BertModel


def batches(count):
    for _ in range(count):
        yield torch.randint(0, 200, (8, 24))


def main():
    torch.manual_seed(19)
    torch.set_num_threads(1)
    config = BertConfig(vocab_size=200, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=64, max_position_embeddings=32)
    model = BertModel(config)
    model.eval()
    features = []
    for words in batches(60):
        outputs = model(input_ids=words)
        features.append(outputs.last_hidden_state[:, 0])
    print(torch.cat(features).shape)


if __name__ == "__main__":
    main()
