"""REINFORCE on a made-up task."""
import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
        self.log_probs = []

    def act(self, state):
        choice = Categorical(logits=self.body(state))
        action = choice.sample()
        self.log_probs.append(choice.log_prob(action))
        return action.item()


def episode(policy, length=5):
    reward = 0.0
    for _ in range(length):
        action = policy.act(torch.randn(8))
        reward += 1.0 if action == 1 else -0.5
    return reward


def main():
    torch.manual_seed(4)
    torch.set_num_threads(1)
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for number in range(150):
        reward = episode(policy)
        loss = -torch.stack(policy.log_probs).sum() * reward
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        policy.log_probs.clear()
    print(reward, len(policy.log_probs))


if __name__ == "__main__":
    main()
