"""Minimise a quadratic with LBFGS."""
import torch


def main():
    torch.manual_seed(21)
    torch.set_num_threads(1)
    place = torch.zeros(20_000, requires_grad=True)
    goal, weight = torch.randn(20_000), torch.rand(20_000) + 0.01
    optimizer = torch.optim.LBFGS([place], lr=0.3, max_iter=1, history_size=40,
                                  tolerance_grad=0, tolerance_change=0)

    def closure():
        optimizer.zero_grad()
        loss = (weight * (place - goal)).square().sum() + 0.01 * place.pow(4).sum()
        loss.backward()
        return loss

    for step in range(150):
        loss = optimizer.step(closure)
    print(float(loss))


if __name__ == "__main__":
    main()
