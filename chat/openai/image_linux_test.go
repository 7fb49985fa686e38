package openai

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	sdk "github.com/openai/openai-go/v3/responses"

	"windsock/chat"
)

// imageAsk is a question about an image.
func imageAsk(kind, file string) openai.ChatCompletionNewParams {
	params := ask("")
	params.Messages[0] = openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
		openai.TextContentPart("What is it?"),
		openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: dataURL(kind, file)}),
	})
	return params
}

func dataURL(kind, file string) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(file))
}

// Images of the official library come to the editor whole, and as what they are.
func TestOpenAIImages(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t)))
	const gif, png = "GIF89a", "\x89PNG\r\n\x1a\n"
	large := png + strings.Repeat("\x00", chat.MaxImage-len(png))
	answer, err := client.Chat.Completions.New(t.Context(), imageAsk("image/jpeg", gif)) // it is none
	if err != nil || answer.Choices[0].Message.Content == "" {
		t.Errorf("%+v, %v", answer, err)
	}
	if _, err := client.Chat.Completions.New(t.Context(), imageAsk("image/png", large)); err != nil {
		t.Error(err)
	}
	params := respond("")
	params.Input = sdk.ResponseNewParamsInputUnion{OfInputItemList: sdk.ResponseInputParam{
		sdk.ResponseInputItemParamOfMessage("Look at it.", sdk.EasyInputMessageRoleUser),
		sdk.ResponseInputItemParamOfFunctionCall(`{"path":"a.png"}`, "call_1", "view_image"),
		{OfFunctionCallOutput: &sdk.ResponseInputItemFunctionCallOutputParam{
			CallID: "call_1",
			Output: sdk.ResponseInputItemFunctionCallOutputOutputUnionParam{OfResponseFunctionCallOutputItemArray: sdk.ResponseFunctionCallOutputItemListParam{
				{OfInputImage: &sdk.ResponseInputImageContentParam{ImageURL: param.NewOpt(dataURL("image/png", png))}},
				{OfInputImage: &sdk.ResponseInputImageContentParam{ImageURL: param.NewOpt(dataURL("image/gif", gif))}},
			}},
		}},
	}}
	if _, err := client.Responses.New(t.Context(), params); err != nil {
		t.Error(err)
	}
	var images []int
	for _, call := range e.Calls() {
		if call.RPC == "SendUserCascadeMessage" {
			images = append(images, call.Images)
		}
	}
	if len(images) != 3 || images[0] != 1 || images[1] != 1 || images[2] != 2 {
		t.Errorf("images %d", images)
	}
	e.nothingWrong(t)
}
